import { string } from '@oclif/core/args';
import { completedBy } from '../platform/completable.ts';

/** The argument that names a profile. */
export const profileArgument = string({
  description: 'Name of the profile.',
  required: true,
  ...completedBy('profiles'),
});
