// Arguments of commands: lists, and values that shell completion offers.
import type { Interfaces } from '@oclif/core';
import { string } from '@oclif/core/args';

/** Completions that a shell requests from the program: the values of an argument or of a flag without a fixed list. */
export const valueKinds = ['profiles', 'files', 'folders', 'shares', 'friends', 'tickets', 'uploads'] as const;

export type ValueKind = (typeof valueKinds)[number];

/** Put into the definition of an argument; oclif passes it on. */
export const completedBy = (values: ValueKind) => ({ completedBy: values });

export const findValueKind = (definition: object | undefined): ValueKind | undefined =>
  valueKinds.find(kind => (definition as { completedBy?: unknown } | undefined)?.completedBy === kind);

type Many = { readonly description: string; readonly required?: boolean; readonly completedBy?: ValueKind };

/** An argument that takes as many values as are given. */
export const many = ({ required = false, ...more }: Many): Interfaces.Arg<string[]> =>
  required ? string({ ...more, multiple: true, required }) : string({ ...more, multiple: true, default: [] });
