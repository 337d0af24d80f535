// A TCP proxy that can lose the answer to a request which the server behind it has already carried out.
import { isInterimAnswer, openSocketPairs } from './socket-pairs.ts';

export type UnreliableProxy = Disposable & {
  readonly endpoint: string;
  /** Cuts the connection instead of forwarding the next answer to a request whose first line matches. */
  loseNextAnswerTo(request: RegExp): void;
  readonly lost: number;
};

export async function startUnreliableProxy(target: string): Promise<UnreliableProxy> {
  let losing: RegExp | null = null;
  let lost = 0;
  const pairs = await openSocketPairs(
    () => target,
    (client, upstream) => {
      let doomed = false;
      client.on('data', block => {
        const [line = ''] = block.toString('latin1', 0, 2000).split('\r\n');
        if (losing?.test(line)) {
          losing = null;
          doomed = true;
        }
        upstream.write(block);
      });
      upstream.on('data', block => {
        if (!doomed || isInterimAnswer(block)) return void client.write(block);
        lost += 1;
        client.resetAndDestroy();
      });
    },
  );
  return {
    endpoint: pairs.endpoint,
    loseNextAnswerTo(request) {
      losing = request;
    },
    get lost() {
      return lost;
    },
    [Symbol.dispose]: () => pairs[Symbol.dispose](),
  };
}
