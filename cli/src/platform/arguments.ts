// Helpers for command arguments.
import type { Interfaces } from '@oclif/core';
import { string } from '@oclif/core/args';
import type { ValueKind } from './completable.ts';

type Many = { readonly description: string; readonly required?: boolean; readonly completedBy?: ValueKind };

/** An argument that takes as many values as are given. */
export const many = ({ required = false, ...more }: Many): Interfaces.Arg<string[]> =>
  required ? string({ ...more, multiple: true, required }) : string({ ...more, multiple: true, default: [] });
