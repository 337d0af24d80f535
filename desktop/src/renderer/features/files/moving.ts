// React context of the files screen for actions on files.
import type { Trashing } from './use-trash.ts';

export type Moving = {
  /** The folder that is shown. */
  readonly folder: string;
  readonly trashing: Trashing;
  readonly onChanged: () => void;
};

/** The action of a key. */
export type FileAction = 'delete' | 'move' | 'rename';
