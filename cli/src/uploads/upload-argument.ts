import { string } from '@oclif/core/args';
import { clientId } from '@recordproof/shared/api/uploads.ts';
import { completedBy } from '../platform/completable.ts';
import { parseField } from '../platform/fields.ts';

/** Which upload a command is about. */
export const uploadArgument = {
  upload: string({
    required: true,
    description: 'Id of the upload, as `uploads list` shows it.',
    ...completedBy('uploads'),
  }),
};

export const parseUpload = (text: string): string => parseField('Upload', clientId, text);
