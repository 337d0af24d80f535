// The frontier of a growing Merkle log: the roots of its perfect subtrees, from which its root is computed after each
// append without reading earlier entries.
import { sha256 } from './digest.ts';
import { hashNode } from './merkle.ts';
import { type GetNode, type NodeAddress, perfectNodes } from './merkle-ranges.ts';

type CompleteNode = NodeAddress & { hash: Uint8Array };

export class MerkleFrontier {
  #size = 0;
  /** The perfect subtrees of the tree, largest first. */
  readonly #edge: CompleteNode[] = [];

  /** The edge of an existing log; reads at most 53 nodes. */
  static async at(size: number, getNode: GetNode): Promise<MerkleFrontier> {
    const frontier = new MerkleFrontier();
    for (const node of perfectNodes({ start: 0, end: size })) {
      frontier.#edge.push({ ...node, hash: await getNode(node) });
    }
    frontier.#size = size;
    return frontier;
  }

  /** A copy for trial appends. */
  copy(): MerkleFrontier {
    const frontier = new MerkleFrontier();
    frontier.#edge.push(...this.#edge);
    frontier.#size = this.#size;
    return frontier;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a leaf hash and returns the nodes it completed, the leaf first. */
  append(leafHash: Uint8Array): CompleteNode[] {
    if (leafHash.length !== 32) throw new RangeError('a leaf hash has 32 bytes');
    let node: CompleteNode = { level: 0, index: this.#size, hash: leafHash };
    const completed = [node];
    for (let left = this.#edge.at(-1); left?.level === node.level; left = this.#edge.at(-1)) {
      this.#edge.pop();
      node = { level: node.level + 1, index: left.index / 2, hash: hashNode(left.hash, node.hash) };
      completed.push(node);
    }
    this.#edge.push(node);
    this.#size++;
    return completed;
  }

  root(): Uint8Array {
    const [last, ...above] = this.#edge.toReversed();
    if (last === undefined) return sha256(new Uint8Array(0));
    return above.reduce((right, left) => hashNode(left.hash, right), last.hash);
  }
}
