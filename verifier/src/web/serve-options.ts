// Command line options of the web service and of its page.
import { choice, value } from '@recordproof/shared/command-line/command.ts';
import { settings } from './settings.ts';

const settingLine = ({ env, schema, help }: (typeof settings)[keyof typeof settings]): string =>
  `  ${env.padEnd(36)} ${String(schema.safeParse(undefined).data ?? '').padEnd(11)} ${help}`;

const settingLines = (group: string): string =>
  Object.values(settings)
    .filter(setting => setting.group === group)
    .map(settingLine)
    .join('\n');

export const serveDeclaration = {
  path: 'serve',
  summary: 'Serves the verification page and POST /api/v1/verify',
  options: {
    host: value('ADDRESS', 'in place of VERIFIER_HOST'),
    port: value('N', 'in place of VERIFIER_PORT'),
  },
  notes: `Settings are environment variables; sizes such as 500MB or 1GB, times such as 100ms, 3s or 1m. Defaults stand beside
them, in bytes and milliseconds:

${settingLines('service')}

Online mode, which VALID needs; the first four are needed together:
${settingLines('online')}

Uploads lie in the folder for temporary files (TMPDIR) without a name until they have been checked. It should have
room for VERIFIER_MULTIPART_MAX_REQUEST_SIZE times VERIFIER_MAX_CONCURRENT times 2.
`,
} as const;

export const pageDeclaration = {
  path: 'page',
  summary: 'Writes the verification page as one file that works offline',
  usage: ['page > verifier.html'],
  options: { language: choice(['en', 'zh'], 'what the page speaks (default en)') },
} as const;
