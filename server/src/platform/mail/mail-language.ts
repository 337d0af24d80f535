// Language of a mail: that of the request that caused it, otherwise that of the server. Accounts have none.
import type { Language } from '@recordproof/shared/words/words.ts';

type Caused = { readonly language?: Language | undefined };

/** Of the payload of a job; jobs of earlier releases name no language. */
export const mailLanguage = (payload: object, mail: { readonly language: Language }): Language =>
  (payload as Caused).language ?? mail.language;
