// Case-insensitive values for flags with options: states are in capitals in the contract, and people type them small.
import type { Interfaces } from '@oclif/core';

const meant = (options: readonly string[] | undefined, typed: string): string =>
  options?.find(option => option.toLowerCase() === typed.toLowerCase()) ?? typed;

export function inAnyCase(argv: readonly string[], flags: Interfaces.FlagInput): string[] {
  const optionsOf = (word: string | undefined): readonly string[] | undefined => {
    const flag = word?.startsWith('--') ? flags[word.slice(2)] : undefined;
    return flag?.type === 'option' ? flag.options : undefined;
  };
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, at) => {
    if (at >= end) return word;
    const equals = word.indexOf('=');
    if (equals < 0) return meant(optionsOf(argv[at - 1]), word);
    return word.slice(0, equals + 1) + meant(optionsOf(word.slice(0, equals)), word.slice(equals + 1));
  });
}
