import { sleep as wait } from '../../async/index.ts';
import type { ActingUser } from '../access/acting-user.ts';
import type { AuditFields } from '../audit/audit-entry.ts';
import { ControlPlaneError } from '../error.ts';
import type { Logger } from '../logger.ts';
import type { StoredEntry } from '../store/command-store.ts';
import { type EntryStore, storedOrKept, storedOrTakenBack } from '../store/entry-store.ts';
import type { CloudEvent, Delivery, DeliveryOutcome } from './deliver-webhook.ts';
import { shownWebhook, type StoredWebhook, storedWebhookSchema, type Webhook, type WebhookOptions } from './webhook.ts';
import { cloudEvent, type Feed, type FeedItem, feedOf, feeds } from './webhook-events.ts';

export interface WebhooksOptions extends EntryStore {
  /** Returns the items of a feed after a number, until the signal aborts. */
  items: (feed: Feed, after: number, signal: AbortSignal) => AsyncIterable<FeedItem>;
  /** Returns the number of the newest item of a feed. */
  newest: (feed: Feed) => number;
  /** Sends an event once. Rejects only with the signal's reason. */
  deliver: (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>;
  /** Hosts of receivers whose addresses are not checked, and that need no https. */
  allowedHosts: readonly string[];
  /** Id of the control plane, which events name. */
  source: () => string;
  audit: (fields: AuditFields) => void;
  log: Logger;
  now: () => Date;
  newId: () => string;
  /** Returns this many random bytes. */
  randomBytes: (size: number) => Uint8Array;
  /** Waits this many milliseconds. Default: by the clock of the process. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** A webhook with its secret, which is shown only once. */
export type CreatedWebhook = Webhook & { readonly secret: string };

interface Entry {
  readonly id: string;
  stored: StoredWebhook;
  /** Ends its deliveries. */
  stopping: AbortController;
}

const collection = 'webhook';

const maxWebhooks = 100;

/** Number of random bytes of a secret. */
const secretBytes = 32;

/** Number of secrets of a webhook that sign at the same time. */
const maxSecrets = 10;

/** Time for which a secret that was replaced still signs, in milliseconds. */
const overlapMs = 24 * 3_600_000;

/** Time in milliseconds after which a webhook is disabled that never accepts the next event. */
const giveUpMs = 5 * 24 * 3_600_000;

/** Pauses between the attempts to deliver an event, in milliseconds. */
const firstPauseMs = 1000;
const longestPauseMs = 3_600_000;

/** Items without an event for a webhook after which its place is stored. */
const saveInterval = 1000;

/**
 * Sends events to the receivers of users. Each receiver gets the events of a feed in their order,
 * and the next one when it has accepted the one before.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#sleep = options.sleep ?? wait;
  }

  /** Takes what the store has, and continues the deliveries. */
  open(entries: readonly StoredEntry[]): void {
    for (const { collection: name, id, text = '' } of entries) {
      if (name === collection) this.#add(id, storedWebhookSchema.parse(JSON.parse(text)));
    }
  }

  /** Ends all deliveries. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  /** Returns all webhooks, the oldest first. */
  list(): Webhook[] {
    const all = Array.from(this.#entries.values(), ({ id, stored }) => shownWebhook(id, stored));
    return all.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  /**
   * Creates a webhook, which gets the events from now on. Rejects with `ControlPlaneError`
   * `bad_request`, with `busy` if there are 100, with `store_unavailable`, and if the user may not
   * do that; there is no webhook then.
   */
  async create({ url, events }: WebhookOptions, user?: ActingUser): Promise<CreatedWebhook> {
    const { allowedHosts, now, newId, newest } = this.#options;
    const checked = await checkedUrl(url, allowedHosts);
    await this.#options.stored();
    user?.requireAllowed();
    if (this.#entries.size >= maxWebhooks) {
      throw new ControlPlaneError(
        'busy',
        `there are ${maxWebhooks} webhooks already; delete those that are not needed`,
      );
    }
    const secret = this.#newSecret();
    const id = newId();
    const entry = this.#add(id, {
      url: checked,
      ...{ events: [...new Set(events)], secrets: [{ secret }], createdAt: now().getTime(), createdBy: user?.name },
      ...{ results: newest('results'), audit: newest('audit') },
    });
    await this.#saved(entry, (present) => this.#remove(present));
    return { ...shownWebhook(id, entry.stored), secret };
  }

  /**
   * Deletes a webhook. Rejects with `ControlPlaneError` `webhook_not_found`, and with
   * `store_unavailable` until that is stored; it gets no more events all the same.
   */
  async delete(id: string): Promise<Webhook> {
    if (!this.has(id)) await this.#options.stored(); // it may be deleted without that being stored
    const entry = this.#require(id);
    this.#remove(entry);
    await storedOrKept(this.#options);
    return shownWebhook(id, entry.stored);
  }

  /**
   * Gives a webhook another secret. The one before also signs for a day. Rejects with
   * `ControlPlaneError` `webhook_not_found`, with `busy` if 10 secrets sign, with
   * `store_unavailable`, and if the user may not do that; nothing changes then.
   */
  async rotate(id: string, user?: ActingUser): Promise<CreatedWebhook> {
    await this.#options.stored();
    user?.requireAllowed();
    const entry = this.#require(id);
    const [current, ...older] = this.#validSecrets(entry);
    if (older.length + 1 >= maxSecrets) {
      throw new ControlPlaneError('busy', `${maxSecrets} secrets of the webhook sign already; try again tomorrow`);
    }
    const secret = this.#newSecret();
    const endsAt = this.#options.now().getTime() + overlapMs;
    entry.stored = { ...entry.stored, secrets: [{ secret }, ...(current ? [{ ...current, endsAt }] : []), ...older] };
    await this.#saved(entry, (present) => {
      // others may have been added meanwhile
      const [first, ...others] = present.stored.secrets.filter((kept) => kept.secret !== secret);
      present.stored = { ...present.stored, secrets: first ? [{ secret: first.secret }, ...others] : [] };
      this.#save(present);
    });
    return { ...shownWebhook(id, entry.stored), secret };
  }

  /**
   * Continues the deliveries of a webhook that was disabled, with the event that it has not
   * accepted. Rejects with `ControlPlaneError` `webhook_not_found`, with `store_unavailable`, and
   * if the user may not do that; nothing changes then.
   */
  async enable(id: string, user?: ActingUser): Promise<Webhook> {
    await this.#options.stored();
    user?.requireAllowed();
    const entry = this.#require(id);
    entry.stopping.abort();
    const enabled = this.#add(id, withoutFailure(entry.stored));
    await this.#saved(enabled, (present) => {
      if (present !== enabled) return;
      enabled.stopping.abort();
      const { failingSince, problem, isDisabled } = entry.stored;
      this.#save(this.#add(id, { ...enabled.stored, failingSince, problem, isDisabled }));
    });
    return shownWebhook(id, enabled.stored);
  }

  /**
   * Sends a test event, once. Rejects with `ControlPlaneError` `webhook_not_found`, and with the
   * signal's reason.
   */
  async test(id: string, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { now, newId, source } = this.#options;
    const fields = { id: `${source()}_test_${newId()}`, source: source(), time: now().toISOString(), data: {} };
    return await this.#deliver(this.#require(id), cloudEvent('test', { ...fields, subject: id }), signal);
  }

  /** Whether there is a webhook with an id. */
  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /**
   * Sends an event of its own to a webhook, once, and returns how it responds. Rejects only with
   * the signal's reason.
   */
  async ask(id: string, question: { id: string; subject: string; data: object }, signal: AbortSignal) {
    const { now, source } = this.#options;
    const entry = this.#entries.get(id);
    if (!entry) return { problem: 'the webhook was deleted' };
    const fields = { ...question, id: `${source()}_${question.id}`, source: source(), time: now().toISOString() };
    return await this.#deliver(entry, cloudEvent('rollout.check', fields), signal);
  }

  #add(id: string, stored: StoredWebhook): Entry {
    const entry: Entry = { id, stored, stopping: new AbortController() };
    this.#entries.set(id, entry);
    if (stored.isDisabled === true) return entry;
    const names: ReadonlySet<string> = new Set(stored.events);
    for (const feed of feeds) {
      if (!Object.entries(feedOf).some(([name, its]) => its === feed && names.has(name))) continue;
      const running = this.#run(entry, feed).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
    return entry;
  }

  /** Sends the events of a feed until the webhook or the control plane stops. */
  async #run(entry: Entry, feed: Feed): Promise<void> {
    const signal = AbortSignal.any([entry.stopping.signal, this.#closing.signal]);
    const isStopped = () => signal.aborted;
    while (!isStopped()) {
      try {
        for await (const { number, events } of this.#options.items(feed, entry.stored[feed], signal)) {
          const wanted = events.filter(({ name }) => entry.stored.events.includes(name));
          for (const { event } of wanted) if (!(await this.#delivered(entry, event, signal))) return;
          entry.stored = { ...entry.stored, [feed]: number };
          if (wanted.length > 0 || number % saveInterval === 0) this.#save(entry);
        }
      } catch {
        if (isStopped()) return;
        this.#options.log.warn({ webhook: entry.id }, 'the events for a webhook cannot be read');
        await this.#sleep(longestPauseMs / 60, signal).catch(() => undefined);
      }
    }
  }

  /** Sends an event until it is accepted. Returns false if the webhook gets no more. */
  async #delivered(entry: Entry, event: CloudEvent, signal: AbortSignal): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#deliver(entry, event, signal);
      if (isAccepted(outcome)) {
        entry.stored = withoutFailure(entry.stored);
        return true;
      }
      if (this.#failed(entry, outcome)) return false;
      await this.#sleep(this.#pause(attempt), signal);
    }
  }

  /** Notes that an attempt has failed. Returns whether the webhook is disabled now. */
  #failed(entry: Entry, outcome: DeliveryOutcome): boolean {
    const { now, log, audit } = this.#options;
    const time = now().getTime();
    const problem = 'problem' in outcome ? outcome.problem : `the receiver responds with ${outcome.status}`;
    const failingSince = entry.stored.failingSince ?? time;
    const isDisabled = time - failingSince >= giveUpMs || ('status' in outcome && outcome.status === 410);
    entry.stored = { ...entry.stored, failingSince, problem, ...(isDisabled && { isDisabled }) };
    this.#save(entry);
    if (!isDisabled) return false;
    entry.stopping.abort();
    log.warn({ webhook: entry.id, problem }, 'a webhook is disabled');
    audit({ action: 'webhook disabled', webhookId: entry.id, decision: 'allowed', outcome: 'ok' });
    return true;
  }

  async #deliver(entry: Entry, event: CloudEvent, signal: AbortSignal): Promise<DeliveryOutcome> {
    const secrets = this.#validSecrets(entry).map(({ secret }) => secret);
    return await this.#options.deliver({ url: entry.stored.url, secrets, event }, signal);
  }

  #validSecrets({ stored }: Entry): StoredWebhook['secrets'] {
    const time = this.#options.now().getTime();
    return stored.secrets.filter(({ endsAt = Infinity }) => endsAt > time);
  }

  /** Returns an exponential pause, of which the second half is random. */
  #pause(attempt: number): number {
    const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempt, 30));
    const [byte = 0] = this.#options.randomBytes(1);
    return (longest / 2) * (1 + byte / 256);
  }

  #newSecret(): string {
    return `whsec_${Buffer.from(this.#options.randomBytes(secretBytes)).toString('base64')}`;
  }

  #require(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw new ControlPlaneError('webhook_not_found', 'no webhook has this id');
    return entry;
  }

  /** Stores a webhook with the next changes, unless it was deleted or replaced. */
  #save({ id, stored }: Entry): void {
    if (this.#entries.get(id)?.stored === stored) {
      this.#options.keep({ collection, id, text: JSON.stringify(stored) });
    }
  }

  /** Stores a webhook, or takes its last change back from the webhook as it is then. */
  async #saved(entry: Entry, takeBack: (present: Entry) => void): Promise<void> {
    this.#save(entry);
    await storedOrTakenBack(this.#options, () => {
      const present = this.#entries.get(entry.id);
      if (present) takeBack(present);
    });
  }

  #remove({ id, stopping }: Entry): void {
    stopping.abort();
    this.#entries.delete(id);
    this.#options.keep({ collection, id, text: undefined });
  }
}

function withoutFailure(stored: StoredWebhook): StoredWebhook {
  return { ...stored, failingSince: undefined, problem: undefined, isDisabled: undefined };
}

function isAccepted(outcome: DeliveryOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
}

/** Returns a URL in its normal form. Rejects with `ControlPlaneError` `bad_request`. */
async function checkedUrl(text: string, allowedHosts: readonly string[]): Promise<string> {
  const { DeniedReceiverError, receiverUrl } = await import('./receiver-address.ts');
  try {
    return receiverUrl(text, allowedHosts).href;
  } catch (error) {
    if (!(error instanceof DeniedReceiverError)) throw error;
    throw new ControlPlaneError('bad_request', `url: ${error.message}`);
  }
}
