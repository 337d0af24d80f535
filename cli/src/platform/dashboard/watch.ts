// A dashboard: polls, draws on a full screen, and runs the actions of keys.
import type { ReactNode } from 'react';
import { toFailure } from '../failure.ts';
import { listenForInterrupts } from '../interrupts.ts';
import { printable } from '../output.ts';
import { toWaitText, type Waits } from '../waits.ts';
import { follow, lostText, openWakeUp } from './follow.ts';
import { openScreen, ScreenQuit, type Size } from './screen.ts';

type Shown = {
  /** The error of the last poll. */
  readonly problem: string | null;
  /** The result of the last key. */
  readonly note?: string | null;
};

/** The immediate effect of a key, and the message once it is done. */
type Pressed<Scene> = { readonly scene: Scene; readonly outcome?: Promise<string> };

export type Watching<Value, Scene extends Shown> = {
  readonly waits: Waits;
  readonly everyMs: number;
  read(signal: AbortSignal): Promise<Value>;
  first(value: Value): Scene;
  next(scene: Scene, value: Value): Scene;
  draw(scene: Scene, size: Size): ReactNode;
  /** Undefined for keys without an action. */
  press?(scene: Scene, key: string): Pressed<Scene> | undefined;
  isOver?(value: Value): boolean;
};

/** The server's answer to an action, success or error, as text. */
export const toNote = <T>(call: Promise<T>, toText: (answer: T) => string): Promise<string> =>
  call.then(toText, (error: unknown) => `not done: ${printable(toFailure(error, '').message)}`);

/** Until the user quits or the task ends; returns the last state. */
export async function watchOnScreen<Value, Scene extends Shown>(watching: Watching<Value, Scene>): Promise<Scene> {
  const { waits, everyMs, read, first, next, draw, press, isOver } = watching;
  using interrupts = listenForInterrupts();
  // Polled before the screen opens, so that an initial error is reported as by all commands.
  let scene = first(await read(interrupts.signal));
  const wakeUp = openWakeUp();
  await using screen = openScreen(key => void act(key));
  const show = (changed: Scene): void => {
    scene = changed;
    screen.show(size => draw(scene, size));
  };
  let actions = 0;
  let answer: { readonly note?: string } = {};
  const act = async (key: string): Promise<void> => {
    const pressed = press?.(scene, key);
    if (pressed === undefined) return;
    show(pressed.scene);
    if (pressed.outcome === undefined) return;
    const note = await pressed.outcome;
    // Shown with the state that follows the action, and never with an older one.
    answer = { note };
    actions += 1;
    wakeUp.trigger();
  };
  const readLatest = async (signal: AbortSignal): Promise<Value> => {
    for (;;) {
      const before = actions;
      const value = await read(signal);
      if (before === actions) return value;
    }
  };
  using _waits = waits.showBy(wait => show({ ...scene, problem: toWaitText(wait) }));
  show(scene);
  const signal = AbortSignal.any([interrupts.signal, screen.signal]);
  try {
    for await (const poll of follow({ read: readLatest, everyMs, signal, wakeUp })) {
      const seen =
        poll.kind === 'lost' ? { ...scene, problem: lostText(poll) } : { ...next(scene, poll.value), problem: null };
      show({ ...seen, ...answer });
      answer = {};
      if (poll.kind === 'seen' && isOver?.(poll.value)) break;
    }
  } catch (error) {
    if (!(error instanceof ScreenQuit)) throw error;
  }
  return scene;
}
