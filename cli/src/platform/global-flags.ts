// The flags of every command.
import { boolean, string } from '@oclif/core/flags';

const helpGroup = 'GLOBAL';

export const globalFlags = {
  server: string({ helpGroup, helpValue: '<url>', summary: 'Address of the server (RECORDPROOF_SERVER).' }),
  profile: string({ helpGroup, helpValue: '<name>', summary: 'Profile to use (RECORDPROOF_CLI_PROFILE).' }),
  timeout: string({ helpGroup, helpValue: '<seconds>', summary: 'How long to wait for an answer.' }),
  json: boolean({ helpGroup, summary: 'Print one JSON document on stdout, errors too.' }),
  wide: boolean({ helpGroup, summary: 'Tables as wide as they are: whole ids, nothing cut.' }),
  'no-color': boolean({ helpGroup, summary: 'No colours (also: NO_COLOR).' }),
  debug: boolean({ helpGroup, summary: 'Show stack traces (also: DEBUG).' }),
};
