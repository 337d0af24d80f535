// The landing page: what this is, how to begin, further links.
import { type Html, html } from '@recordproof/shared/theme/html.ts';
import { landingWords } from '@recordproof/shared/words/pages.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { type Page, toPage } from './layout.ts';

type LandingInfo = {
  readonly language: Language;
  readonly version: string;
  readonly baseUrl: string;
  readonly isSetUp: boolean;
};

export function renderLandingPage({ language, version, baseUrl, isSetUp }: LandingInfo): Page {
  const texts = landingWords[language];
  return toPage(
    { language, title: 'RecordProof', version },
    html`<main id="content">
<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
<h2>${texts.firstSteps}</h2>
<ol class="steps card">
${!isSetUp && setUpStep(language, baseUrl)}
<li><strong>${texts.login}</strong>
<p><a href="/app">${texts.inApp}</a>${texts.orInTerminal}</p>
<pre><code>recordproof login --server ${baseUrl}</code></pre></li>
<li><strong>${texts.orApi}</strong>
<p><a href="/docs">${texts.reference}</a>${texts.referenceHas}</p></li>
</ol>
<h2>${texts.further}</h2>
<ul class="ways">
${way('/app', texts.app, texts.appText)}
${way('/verify', texts.verifier, texts.verifierText)}
${way('/docs', texts.docs, texts.docsText)}
${way('/openapi.json', texts.openApi, texts.openApiText)}
${way('/actuator/health', texts.health, texts.healthText)}
</ul>
</main>`,
  );
}

const way = (href: string, title: string, text: string): Html =>
  html`<li><a class="card" href="${href}"><strong>${title}</strong><span>${text}</span></a></li>
`;

function setUpStep(language: Language, baseUrl: string): Html {
  const texts = landingWords[language];
  return html`<li><strong>${texts.createAdmin}</strong>
<p>${texts.codePrinted} <a href="/setup">${texts.doItHere}</a>${texts.orTerminal}</p>
<pre><code>recordproof setup --server ${baseUrl}</code></pre></li>
`;
}
