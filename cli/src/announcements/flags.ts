// Arguments and flags of the announcement commands.
import { string as argument } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import {
  announcementContent,
  announcementPriority,
  maxAnnouncementContent,
} from '@recordproof/shared/api/announcements.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { namesOf } from '../platform/code-names.ts';
import { parseField } from '../platform/fields.ts';
import { toTime } from '../platform/time-flags.ts';
import { textFlag } from '../platform/written-text.ts';

export const announcementArgument = {
  announcement: argument({ required: true, description: 'Id of the announcement.' }),
};

export const toAnnouncementId = (text: string): string => parseField('Announcement', recordId, text);

export const textField = {
  name: 'Text',
  flag: '--text',
  schema: announcementContent,
  maxLetters: maxAnnouncementContent,
};

const none = 'never';

/** Each may be omitted: then a new announcement has none, and an existing one keeps its value. */
export const writingFlags = {
  title: string({ helpValue: '<text>', summary: 'One line, at most 200 letters.' }),
  text: textFlag('Markdown, at most 20,000 letters; - reads it from a pipe.'),
  priority: option({ options: namesOf(announcementPriority), summary: 'How urgent it is.' })(),
  pinned: boolean({ allowNo: true, summary: 'Listed above those that are not pinned.' }),
  'publish-at': string({ helpValue: '<day or time>', summary: `Publishes itself then; "${none}" takes that away.` }),
  'expire-at': string({ helpValue: '<day or time>', summary: `Disappears then; "${none}" takes that away.` }),
};

/** Undefined when the flag is omitted. */
export const toTimeOrNone = (flag: string, text: string | undefined): string | null | undefined =>
  text === undefined ? undefined : text === none ? null : toTime(flag, text);
