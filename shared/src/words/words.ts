// Texts for people, in every supported language. A table without a text in one of them does not compile.

const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

type Sentence = string | ((...args: never[]) => string);
type Words<T> = Readonly<Record<Language, T>>;
type Table = { readonly [name: string]: Sentence | Table };
type Same<T> = T extends string
  ? string
  : T extends (...args: infer Given) => string
    ? (...args: Given) => string
    : { readonly [K in keyof T]: Same<T[K]> };

export const words = <T extends Table>(en: T & Same<T>, zh: Same<T>): Words<Same<T>> => ({ en, zh });

/** English plural forms. */
export const count = (many: number, one: string, more: string): string => (many === 1 ? `1 ${one}` : `${many} ${more}`);

const isLanguage = (text: string): text is Language => languages.some(language => language === text);

/** Of a page, by its `lang`. */
export const toLanguage = (tag: string): Language => {
  const [main = ''] = tag.trim().toLowerCase().split('-');
  return isLanguage(main) ? main : 'en';
};

/** The supported language preferred by a browser, by its Accept-Language. */
export const chooseLanguage = (accepted: string | undefined): Language => findLanguage(accepted) ?? 'en';

/** Undefined where it names none that is supported. */
export function findLanguage(accepted: string | undefined): Language | undefined {
  const preferences = (accepted ?? '').split(',').map(entry => {
    const [tag = '', ...more] = entry.split(';').map(part => part.trim());
    const weight = Number(more.find(part => part.startsWith('q='))?.slice(2) ?? 1);
    return { main: tag.toLowerCase().split('-')[0] ?? '', weight: Number.isNaN(weight) ? 0 : weight };
  });
  const supported = preferences.filter(({ main, weight }) => isLanguage(main) && weight > 0);
  const best = supported.sort((a, b) => b.weight - a.weight)[0];
  return best && toLanguage(best.main);
}
