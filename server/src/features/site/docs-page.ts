// The reference as a page: rendered here, readable without script, each endpoint under its own anchor.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { type ErrorKind, errorTable } from '@recordproof/shared/api/errors.ts';
import { type Html, html } from '@recordproof/shared/look/html.ts';
import { docsWords } from '@recordproof/shared/words/docs.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { JsonSchema } from '../../platform/http/json-schema.ts';
import { toOpenApiPath } from '../../platform/http/openapi.ts';
import { listCommonErrors } from '../../platform/http/openapi-errors.ts';
import type { OpenApi, Operation } from '../../platform/http/openapi-types.ts';
import { toCurl, toJsonExample } from './example.ts';
import { type Field, listFields, openResolver, type Resolve } from './fields.ts';
import { type Page, toPage } from './layout.ts';

type DocsInfo = {
  readonly language: Language;
  readonly endpoints: readonly AnyEndpoint[];
  readonly document: OpenApi;
  readonly baseUrl: string;
  readonly script: string;
};

type Book = Pick<DocsInfo, 'document' | 'baseUrl'> & { readonly resolve: Resolve };

export function renderDocsPage({ language, endpoints, document, baseUrl, script }: DocsInfo): Page {
  const book = { document, resolve: openResolver(document.components.schemas), baseUrl };
  const say = docsWords[language];
  const features = document.tags.map(tag => tag.name);
  const byFeature = (feature: string) => endpoints.filter(endpoint => endpoint.feature === feature);
  const info = {
    language,
    title: 'RecordProof API reference',
    version: String(document.info.version),
    script,
    bodyClass: 'docs',
    tools: renderSearch(endpoints.length, language),
  };
  return toPage(
    info,
    html`<div class="columns">
<nav aria-label="${say.contents}"><details id="contents" open><summary>${say.contents}</summary><ul>
<li><a href="#calling">${say.howToCall}</a></li>
${features.map(
  feature => html`<li><a href="#feature-${feature}">${toTitle(feature)}</a> <span class="count">${byFeature(feature).length}</span></li>
`,
)}<li><a href="#errors">${say.allErrors}</a></li>
</ul></details></nav>
<main id="content">
<h1>${say.title}</h1>
<p id="nothing" class="said" role="status"></p>
${renderIntroduction(baseUrl, language)}
${features.map(
  feature => html`<section aria-labelledby="feature-${feature}" data-feature>
<h2 id="feature-${feature}">${toTitle(feature)}</h2>
${byFeature(feature).map(endpoint => renderEndpoint(endpoint, book))}
</section>
`,
)}
<section aria-labelledby="errors" data-aside><h2 id="errors">${say.allErrors}</h2>
${renderErrors(Object.keys(errorTable) as ErrorKind[], 'Every error of this service')}
</section>
</main>
</div>`,
  );
}

const toTitle = (feature: string): string => feature.charAt(0).toUpperCase() + feature.slice(1).replaceAll('-', ' ');

function renderSearch(count: number, language: Language): Html {
  const say = docsWords[language];
  return html`<div class="search" role="search">
<label for="filter">${say.filter}</label>
<input id="filter" type="search" placeholder="${say.placeholder}" autocomplete="off" spellcheck="false" disabled>
<output for="filter" id="found" aria-live="polite">${say.found(count)}</output>
</div>`;
}

const renderIntroduction = (
  baseUrl: string,
  language: Language,
): Html => html`<section aria-labelledby="calling" data-aside>
<h2 id="calling">${docsWords[language].howToCall}</h2>
<p>Requests go to <code>${baseUrl}</code>. Answers are JSON in one envelope, <code>{"code", "message", "data"}</code>: <code>code</code> is 200, or the number of the error. Where an endpoint answers with something else, it says so.</p>
<p>Log in with <a href="#login"><code>POST /api/v1/auth/login</code></a> and send the token with every call: <code>Authorization: Bearer &lt;token&gt;</code>.</p>
<p>Every answer tells how many calls are left (<code>X-RateLimit-Limit</code>, <code>-Remaining</code>, <code>-Reset</code>) and carries <code>X-Trace-Id</code>, which finds the request in the log. After a 429 or 503, wait as many seconds as <code>Retry-After</code> says.</p>
<p>For programs: <a href="/openapi.json">the same as an OpenAPI 3.1 document</a>.</p>
</section>`;

function renderEndpoint(endpoint: AnyEndpoint, book: Book): Html {
  const path = toOpenApiPath(endpoint.path);
  const method = endpoint.method.toLowerCase();
  const operation = book.document.paths[path]?.[method];
  if (!operation) throw new Error(`${endpoint.name} is not in the document`);
  const words = [path, endpoint.aliases, endpoint.name, endpoint.summary, endpoint.feature].flat().join(' ');
  return html`<details class="endpoint" data-words="${words.toLowerCase()}">
<summary><span class="method ${method}">${endpoint.method}</span> <code>${breakable(path)}</code> <span class="about">${endpoint.summary}</span></summary>
<div class="body" id="${endpoint.name}">
<h3>${endpoint.summary} <a class="anchor" href="#${endpoint.name}" aria-label="Link to ${endpoint.name}">#</a></h3>
${endpoint.description !== undefined && html`<p>${endpoint.description}</p>`}
<p class="facts"><span>${toAccessText(endpoint)}</span> <span>counts as “${endpoint.rate}”</span> <span>name <code>${endpoint.name}</code></span>${endpoint.aliases.map(alias => html` <span>also <code>${alias}</code></span>`)}</p>
${renderParameters(operation, book.resolve)}
${renderBody(operation, book.resolve)}
${renderAnswer(endpoint, operation, book.resolve)}
<h4>Example</h4>
<pre><code>${toCurl({ method, path, baseUrl: book.baseUrl }, operation, book.resolve)}</code></pre>
${isForPeople(endpoint) && renderTryOut(endpoint, operation, book.resolve)}
<h4>Errors</h4>
${endpoint.errors.length > 0 && renderErrors(endpoint.errors, `Errors of ${endpoint.name}`)}
<p class="common">${endpoint.errors.length > 0 ? 'And, as elsewhere: ' : ''}${renderCommonErrors(endpoint)}</p>
</div>
</details>
`;
}

/** Files and streams are for programs. */
const isForPeople = ({ answerForm, bodyForms }: AnyEndpoint): boolean =>
  answerForm !== 'events' && bodyForms.every(form => form === 'json' || form === 'form');

/** The script of the page makes a form of it. */
function renderTryOut(endpoint: AnyEndpoint, operation: Operation, resolve: Resolve): Html {
  const query = (operation.parameters ?? []).filter(({ in: where }) => where === 'query').map(({ name }) => name);
  const example = toJsonExample(operation, resolve);
  return html`<div id="try-${endpoint.name}" data-method="${endpoint.method}" data-path="${toOpenApiPath(endpoint.path)}" data-query="${query.join(' ')}"${example !== null && html` data-example="${example}"`}></div>`;
}

/** Long paths may break after each slash, not in the middle of a name. */
const breakable = (path: string): Html =>
  html`${path.split('/').map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;

function toAccessText({ access }: AnyEndpoint): string {
  switch (access) {
    case 'anonymous':
      return 'for anybody';
    case 'optional':
      return 'for anybody; a token shows more';
    case 'signed-in':
      return 'for every account';
    case 'management':
      return 'for operators: system:metrics or the management token';
    default:
      return `needs ${access}`;
  }
}

function renderParameters({ parameters = [] }: Operation, resolve: Resolve): Html | false {
  if (parameters.length === 0) return false;
  const fields = parameters.map(({ name, in: where, required, description = '', schema }): Field => {
    const [field] = listFields(schema, resolve);
    const rules = [`in the ${where}`, ...(field?.rules ?? [])];
    return { path: name, depth: 1, type: field?.type ?? 'string', required, rules, description };
  });
  return html`<h4>Parameters</h4>${renderFields(fields, 'Parameters')}`;
}

function renderBody({ requestBody }: Operation, resolve: Resolve): Html | false {
  if (!requestBody) return false;
  const forms = Object.keys(requestBody.content);
  const [content] = Object.values(requestBody.content);
  const how = html`<h4>Body</h4><p>${forms.map((form, index) => html`${index > 0 && ' or '}<code>${form}</code>`)}${!requestBody.required && ', may be left out'}</p>`;
  if (!content || forms.includes('application/octet-stream')) return how;
  return html`${how}${renderFields(listFields(content.schema, resolve), 'Fields of the body')}`;
}

function renderAnswer(endpoint: AnyEndpoint, { responses }: Operation, resolve: Resolve): Html {
  const success = responses['200'];
  const content = success && 'content' in success ? success.content : {};
  const [[type, answer] = []] = Object.entries(content ?? {});
  const isEnvelope = endpoint.answerForm === 'envelope';
  const schema = isEnvelope
    ? ((answer?.schema.properties as Record<string, JsonSchema> | undefined)?.data ?? {})
    : (answer?.schema ?? {});
  if (schema.type === 'null') return html`<h4>Answer</h4><p><code>data</code> is null.</p>`;
  const isJson = type === 'application/json';
  const where = isEnvelope ? html`In <code>data</code>:` : html`<code>${type}</code>, without the envelope.`;
  return html`<h4>Answer</h4><p>${where}</p>${isJson && renderFields(listFields(schema, resolve), 'Fields of the answer')}`;
}

const renderFields = (fields: readonly Field[], label: string): Html => html`<table aria-label="${label}">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">About</th></tr></thead>
<tbody>${fields.map(renderField)}</tbody></table>`;

const renderField = (
  field: Field,
): Html => html`<tr><th scope="row"><code>${field.path || 'value'}</code>${!field.required && html` <span class="optional">optional</span>`}</th><td>${field.type}</td><td>${field.description}${field.rules.map((rule, index) => html`${(index > 0 || field.description !== '') && '; '}${rule}`)}</td></tr>
`;

const renderErrors = (kinds: readonly ErrorKind[], label: string): Html => html`<table aria-label="${label}">
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead>
<tbody>${kinds.map(kind => {
  const { status, code, message } = errorTable[kind];
  return html`<tr><td>${status}</td><td>${code}</td><th scope="row"><code>${kind}</code></th><td>${message}</td></tr>
`;
})}</tbody></table>`;

const renderCommonErrors = (endpoint: AnyEndpoint): Html =>
  html`${listCommonErrors(endpoint)
    .filter(kind => !endpoint.errors.includes(kind))
    .map(
      (kind, index) => html`${index > 0 && ', '}<code>${errorTable[kind].code}</code> ${errorTable[kind].message}`,
    )}. <a href="#errors">All errors</a>`;
