// The command `recordproof-verify page`: the page as one file on standard output.
import { choice } from '@recordproof/shared/command-line/command.ts';
import { readArguments } from '../shell/arguments.ts';
import type { Command } from '../shell/run-command.ts';
import { buildPage } from './page/build-page.ts';
import { toPageHtml } from './page/page-html.ts';

const pageDeclaration = {
  path: 'page',
  summary: 'Writes the verification page as one file that works offline',
  usage: ['page > verifier.html'],
  options: { language: choice(['en', 'zh'], 'what the page speaks (default en)') },
} as const;

export const pageCommand: Command = {
  declaration: pageDeclaration,
  async run(args, { stdout }) {
    const { options } = readArguments(args, pageDeclaration);
    stdout.write(toPageHtml({ kind: 'saved' }, await buildPage(), options.language));
    return 0;
  },
  describeFailure: () => 'The page could not be built.',
};
