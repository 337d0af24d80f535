import { string } from '@oclif/core/args';

/** The argument that names a profile. */
export const profileArgument = string({ description: 'Name of the profile.', required: true });
