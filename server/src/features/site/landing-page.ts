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
  const say = landingWords[language];
  return toPage(
    { language, title: 'RecordProof', version },
    html`<main id="content">
<h1>${say.title}</h1>
<p class="lead">${say.lead}</p>
<h2>${say.firstSteps}</h2>
<ol class="steps card">
${!isSetUp && setUpStep(language, baseUrl)}
<li><strong>${say.login}</strong>
<p><a href="/app">${say.inApp}</a>${say.orInTerminal}</p>
<pre><code>recordproof login --server ${baseUrl}</code></pre></li>
<li><strong>${say.orApi}</strong>
<p><a href="/docs">${say.reference}</a>${say.referenceHas}</p></li>
</ol>
<h2>${say.further}</h2>
<ul class="ways">
${way('/app', say.app, say.appText)}
${way('/verify', say.verifier, say.verifierText)}
${way('/docs', say.docs, say.docsText)}
${way('/openapi.json', say.openApi, say.openApiText)}
${way('/actuator/health', say.health, say.healthText)}
</ul>
</main>`,
  );
}

const way = (href: string, title: string, text: string): Html =>
  html`<li><a class="card" href="${href}"><strong>${title}</strong><span>${text}</span></a></li>
`;

function setUpStep(language: Language, baseUrl: string): Html {
  const say = landingWords[language];
  return html`<li><strong>${say.createAdmin}</strong>
<p>${say.codePrinted} <a href="/setup">${say.doItHere}</a>${say.orTerminal}</p>
<pre><code>recordproof setup --server ${baseUrl}</code></pre></li>
`;
}
