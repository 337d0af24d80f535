import type { Interfaces } from '@oclif/core';
import { string } from '@oclif/core/args';
import type { ValueKind } from './completable.ts';

type Many = { readonly description: string; readonly required?: boolean; readonly completedBy?: ValueKind };

/** An argument that takes as many values as are given. oclif parses them all, but its types know only the first. */
export const many = ({ description, required = false, ...more }: Many): Interfaces.Arg<string[]> =>
  string({
    description,
    multiple: true,
    ...more,
    ...(required ? { required } : { default: [] as unknown as string }),
  }) as unknown as Interfaces.Arg<string[]>;
