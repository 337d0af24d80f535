// A full screen on the terminal, redrawn on each update. The terminal is restored on every exit.
import { render, useInput, useWindowSize } from 'ink';
import { createElement as h, type ReactNode } from 'react';
import { CommandError } from '../command-error.ts';

export type Size = { readonly columns: number; readonly rows: number };
type Draw = (size: Size) => ReactNode;

type Screen = AsyncDisposable & {
  show(draw: Draw): void;
  /** Aborted when the user quits: Ctrl-C counts as an interruption, q as a normal end. */
  readonly signal: AbortSignal;
};

/** The abort reason when the user quits with q. */
export class ScreenQuit extends Error {}

type Streams = { readonly stdout?: NodeJS.WritableStream; readonly stdin?: NodeJS.ReadableStream };

function Root({ draw, onKey }: { readonly draw: Draw; readonly onKey: (key: string) => void }): ReactNode {
  useInput((input, { ctrl }) => onKey(ctrl ? `ctrl-${input}` : input));
  return draw(useWindowSize());
}

/** Terminals leave the cursor of a new screen where it was on the old one, in the middle or at the bottom. */
const home = '\x1b[H';

export function openScreen(onKey: (key: string) => void, streams: Streams = {}): Screen {
  const left = new AbortController();
  const leave = (reason: Error): void => left.abort(reason);
  const handle = (key: string): void => {
    if (key === 'ctrl-c') leave(new CommandError('interrupted', 'interrupted'));
    else if (key === 'q') leave(new ScreenQuit('left with q'));
    else onKey(key);
  };
  const toTree = (draw: Draw) => h(Root, { draw, onKey: handle });
  const ink = render(
    toTree(() => null),
    { ...streams, exitOnCtrlC: false, patchConsole: false, alternateScreen: true, interactive: true },
  );
  (streams.stdout ?? process.stdout).write(home);
  return {
    signal: left.signal,
    show: draw => ink.rerender(toTree(draw)),
    async [Symbol.asyncDispose]() {
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
}
