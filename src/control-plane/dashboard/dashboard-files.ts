import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A file of the dashboard. */
export interface DashboardFile {
  readonly contentType: string;
  readonly content: Buffer;
  /** The same, compressed by gzip. */
  readonly compressed: Buffer;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The name of the page in its folder. */
export const pageFile = 'index.html';

/**
 * The files in the folder of the dashboard. Each is read when it is first asked for, and then kept:
 * a start of the control plane reads none.
 */
export class DashboardFiles {
  readonly #folder: string;
  #names: Promise<ReadonlySet<string>> | undefined;
  readonly #files = new Map<string, Promise<DashboardFile>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns a file; undefined if the folder does not have it. Rejects with the error of Node. */
  async find(name: string): Promise<DashboardFile | undefined> {
    this.#names ??= namesIn(this.#folder);
    const names = await this.#names;
    if (!names.has(name)) return undefined;
    const known = this.#files.get(name) ?? readDashboardFile(this.#folder, name);
    this.#files.set(name, known);
    return await known;
  }
}

/** Returns the names of the files of a folder. It has none if it is not there. */
async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  const names = await readdir(folder).catch(() => []);
  return new Set(names.filter((name) => extname(name) in contentTypes));
}

async function readDashboardFile(folder: string, name: string): Promise<DashboardFile> {
  const content = await readFile(join(folder, name));
  return { contentType: contentTypes[extname(name)] ?? '', content, compressed: await compress(content, { level: 9 }) };
}
