// Error pages for browsers: the error, and what to do. Programs get the JSON envelope instead.
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Html, html } from '@recordproof/shared/theme/html.ts';
import { errorWords, frameWords } from '@recordproof/shared/words/pages.ts';
import { chooseLanguage, type Language } from '@recordproof/shared/words/words.ts';
import type { ShowError } from '../../platform/http/show-error.ts';
import { version } from '../../version.ts';
import { toPage } from './layout.ts';

type Explanation = { readonly title: string; readonly text: string; readonly more?: Html };

export const showError: ShowError = (error, { acceptLanguage, traceId }) => {
  const language = chooseLanguage(acceptLanguage);
  const { title, text, more } = explain(error, language, traceId);
  return toPage(
    { language, title: `${title} – RecordProof`, version },
    html`<main id="content">
<h1>${title}</h1>
<p class="lead">${text}</p>
${more}<p><a href="/">${frameWords[language].toStart}</a></p>
</main>`,
  );
};

function explain({ status, message, retryAfterSeconds }: ApiError, language: Language, traceId: string): Explanation {
  const texts = errorWords[language];
  switch (status) {
    case 404:
      return { title: texts.missingTitle, text: texts.missing };
    case 401:
      return { title: texts.loginTitle, text: texts.login };
    case 403:
      return { title: texts.deniedTitle, text: texts.denied };
    case 429:
      return {
        title: texts.waitTitle,
        text: retryAfterSeconds === undefined ? texts.waitUnknown : texts.wait(retryAfterSeconds),
      };
    case 503:
      return { title: texts.awayTitle, text: texts.away };
  }
  if (status >= 500)
    return {
      title: texts.brokenTitle,
      text: texts.broken,
      more: html`<pre><code>${traceId}</code></pre>
`,
    };
  return {
    title: texts.refusedTitle,
    text: texts.refused,
    more: html`<pre><code>${message}</code></pre>
`,
  };
}
