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
  const say = errorWords[language];
  switch (status) {
    case 404:
      return { title: say.missingTitle, text: say.missing };
    case 401:
      return { title: say.loginTitle, text: say.login };
    case 403:
      return { title: say.deniedTitle, text: say.denied };
    case 429:
      return {
        title: say.waitTitle,
        text: retryAfterSeconds === undefined ? say.waitUnknown : say.wait(retryAfterSeconds),
      };
    case 503:
      return { title: say.awayTitle, text: say.away };
  }
  if (status >= 500)
    return {
      title: say.brokenTitle,
      text: say.broken,
      more: html`<pre><code>${traceId}</code></pre>
`,
    };
  return {
    title: say.refusedTitle,
    text: say.refused,
    more: html`<pre><code>${message}</code></pre>
`,
  };
}
