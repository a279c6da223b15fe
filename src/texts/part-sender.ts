import type { NodeCounter } from './node-counter.ts';

/** Number of nodes of a part: reading one takes a few milliseconds. */
const nodesOfPart = 20_000;

/** Sends the elements of a list in parts of bounded size. */
export interface PartSender<Element> {
  add(element: Element): void;
  /** Sends the rest. */
  end(): void;
}

/** @param nodes counts the nodes of all parts and throws at the limit */
export function createPartSender<Element>(send: (part: unknown) => void, nodes: NodeCounter): PartSender<Element> {
  let part: Element[] = [];
  let sent = 0;
  let total = 0;
  const end = () => {
    if (part.length > 0) send(part);
    part = [];
    sent = total;
  };
  return {
    add(element) {
      part.push(element);
      total = nodes.add(element);
      if (total - sent >= nodesOfPart) end();
    },
    end,
  };
}
