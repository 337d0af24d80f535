import { string } from '@oclif/core/args';

export const folderArgument = string({ required: true, description: 'The folder that is watched.' });
