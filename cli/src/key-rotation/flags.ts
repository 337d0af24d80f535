// What the commands around key rotation read from the command line.
import { boolean, integer } from '@oclif/core/flags';

export const yesFlag = boolean({ char: 'y', summary: 'Do not ask.' });

export const everyFlag = integer({
  helpValue: '<seconds>',
  min: 1,
  max: 3600,
  default: 2,
  summary: 'Time between two looks.',
});
