// The command `recordproof-verify page`: the page as one file on standard output.
import { type Language, toLanguage } from '@recordproof/shared/words/words.ts';
import { readArguments, UsageError } from '../shell/arguments.ts';
import type { Command } from '../shell/run-command.ts';
import { buildPage } from './page/build-page.ts';
import { toPageHtml } from './page/page-html.ts';

function readLanguage(given = 'en'): Language {
  const language = toLanguage(given);
  if (language !== given) throw new UsageError('--language is en or zh');
  return language;
}

export const pageCommand: Command = {
  name: 'page',
  help: `Writes the verification page as one file: recordproof-verify page > verifier.html

  --language en|zh   what the page speaks (default en)
`,
  async run(args, { stdout }) {
    const { options } = readArguments(args, { language: 'value' });
    stdout.write(toPageHtml({ kind: 'saved' }, await buildPage(), readLanguage(options.language)));
    return 0;
  },
  describeFailure: () => 'The page could not be built.',
};
