// Where one lands: what this is, how to begin, where to look further.
import { type Html, html } from './html.ts';
import { toPage } from './layout.ts';

export type LandingInfo = { readonly version: string; readonly baseUrl: string; readonly isSetUp: boolean };

export function renderLandingPage({ version, baseUrl, isSetUp }: LandingInfo): string {
  return toPage(
    { title: 'RecordProof', version, bodyClass: 'landing' },
    html`<main id="content">
<h1>RecordProof is running here</h1>
<p class="lead">This server keeps files and proves what they were, and when. Anybody can check such a proof later, without this server.</p>
<ul class="cards">
${card('/docs', 'API reference', 'Every call with its fields, errors and an example.')}
${card('/openapi.json', 'OpenAPI document', 'The same for programs: OpenAPI 3.1.')}
${card('/actuator/health', 'Health', 'UP, DEGRADED or DOWN. Operators see every part.')}
</ul>
<h2>First steps</h2>
<ol class="steps">
${!isSetUp && setUpStep(baseUrl)}
<li><strong>Log in from a terminal</strong>
<pre><code>recordproof login --server ${baseUrl}</code></pre></li>
<li><strong>Or call the API.</strong> <a href="/docs">The reference</a> has a command to copy for every call.</li>
</ol>
</main>`,
  );
}

const card = (href: string, title: string, text: string): Html =>
  html`<li><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>
`;

const setUpStep = (baseUrl: string): Html =>
  html`<li><strong>Create the first administrator.</strong> The set-up code was printed where the server was started.
<p><a href="/setup">Do it here</a>, or in a terminal:</p>
<pre><code>recordproof setup --server ${baseUrl}</code></pre></li>
`;
