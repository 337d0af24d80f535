// The process that moves files, as the program sees it. Electron starts it as a utility process, tests in their own.
import type { ToEngine } from '../transfers/messages.ts';

export type EnginePort = {
  send(message: ToEngine): void;
  /** Resolves when it has ended; what was under way is noted by then, as it always is. */
  end(): Promise<void>;
};
