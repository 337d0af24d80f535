// The API reference as a page: rendered on the server, readable without script, one anchor per endpoint.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { type ErrorKind, errorTable } from '@recordproof/shared/api/errors.ts';
import { type Html, html } from '@recordproof/shared/theme/html.ts';
import { docsWords } from '@recordproof/shared/words/docs.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { JsonSchema } from '../../platform/http/json-schema.ts';
import { toOpenApiPath } from '../../platform/http/openapi.ts';
import { listCommonErrors } from '../../platform/http/openapi-errors.ts';
import type { OpenApi, Operation } from '../../platform/http/openapi-types.ts';
import { toCurl, toJsonExample } from './example.ts';
import { type Field, listFields, openResolver, type Reading } from './fields.ts';
import { type Page, toPage } from './layout.ts';

type DocsInfo = {
  readonly language: Language;
  readonly endpoints: readonly AnyEndpoint[];
  readonly document: OpenApi;
  readonly baseUrl: string;
  readonly script: string;
};

type Book = Pick<DocsInfo, 'document' | 'baseUrl'> & Reading;
type Say = Reading['say'];

export function renderDocsPage({ language, endpoints, document, baseUrl, script }: DocsInfo): Page {
  const say = docsWords[language];
  const book = { document, resolve: openResolver(document.components.schemas), baseUrl, say };
  const features = document.tags.map(tag => tag.name);
  const byFeature = (feature: string) => endpoints.filter(endpoint => endpoint.feature === feature);
  const info = {
    language,
    title: say.pageTitle,
    version: String(document.info.version),
    script,
    bodyClass: 'docs',
    tools: renderSearch(endpoints.length, say),
  };
  return toPage(
    info,
    html`<div class="columns">
<nav aria-label="${say.contents}"><details id="contents" open><summary>${say.contents}</summary><ul>
<li><a href="#calling">${say.howToCall}</a></li>
${features.map(
  feature => html`<li><a href="#feature-${feature}">${toTitle(feature, say)}</a> <span class="count">${byFeature(feature).length}</span></li>
`,
)}<li><a href="#errors">${say.allErrors}</a></li>
</ul></details></nav>
<main id="content">
<h1>${say.title}</h1>
<p id="nothing" class="said" role="status"></p>
${renderIntroduction(book)}
${features.map(
  feature => html`<section aria-labelledby="feature-${feature}" data-feature>
<h2 id="feature-${feature}">${toTitle(feature, say)}</h2>
${byFeature(feature).map(endpoint => renderEndpoint(endpoint, book))}
</section>
`,
)}
<section aria-labelledby="errors" data-aside><h2 id="errors">${say.allErrors}</h2>
${renderErrors(Object.keys(errorTable) as ErrorKind[], say.everyError, say)}
</section>
</main>
</div>`,
  );
}

function toTitle(feature: string, say: Say): string {
  const titles: Readonly<Record<string, string>> = say.features;
  return titles[feature] ?? feature.charAt(0).toUpperCase() + feature.slice(1).replaceAll('-', ' ');
}

const renderSearch = (count: number, say: Say): Html => html`<div class="search" role="search">
<label for="filter">${say.filter}</label>
<input id="filter" type="search" placeholder="${say.placeholder}" autocomplete="off" spellcheck="false" disabled>
<output for="filter" id="found" aria-live="polite">${say.found(count)}</output>
</div>`;

const renderIntroduction = ({ baseUrl, say }: Book): Html => html`<section aria-labelledby="calling" data-aside>
<h2 id="calling">${say.howToCall}</h2>
<p>${say.requestsGoTo} <code>${baseUrl}</code>. ${say.envelope}</p>
<p>${say.logIn} <a href="#login"><code>POST /api/v1/auth/login</code></a> ${say.sendToken} <code>Authorization: Bearer &lt;token&gt;</code></p>
<p>${say.allowance}</p>
${
  say.note !== '' &&
  html`<p>${say.note}</p>
`
}<p>${say.forPrograms} <a href="/openapi.json">${say.openApi}</a></p>
</section>`;

function renderEndpoint(endpoint: AnyEndpoint, book: Book): Html {
  const { say, resolve } = book;
  const path = toOpenApiPath(endpoint.path);
  const method = endpoint.method.toLowerCase();
  const operation = book.document.paths[path]?.[method];
  if (!operation) throw new Error(`${endpoint.name} is not in the document`);
  const words = [path, endpoint.aliases, endpoint.name, endpoint.summary, endpoint.feature].flat().join(' ');
  return html`<details class="endpoint" data-words="${words.toLowerCase()}">
<summary><span class="method ${method}">${endpoint.method}</span> <code>${breakable(path)}</code> <span class="about" lang="en">${endpoint.summary}</span></summary>
<div class="body" id="${endpoint.name}">
<h3><span lang="en">${endpoint.summary}</span> <a class="anchor" href="#${endpoint.name}" aria-label="${say.linkTo(endpoint.name)}">#</a></h3>
${endpoint.description !== undefined && html`<p lang="en">${endpoint.description}</p>`}
<p class="facts"><span>${toAccessText(endpoint, say)}</span> <span>${say.countsAs(endpoint.rate)}</span> <span>${say.name} <code>${endpoint.name}</code></span>${endpoint.aliases.map(alias => html` <span>${say.also} <code>${alias}</code></span>`)}</p>
${renderParameters(operation, book)}
${renderBody(operation, book)}
${renderAnswer(endpoint, operation, book)}
<h4>${say.example}</h4>
<pre><code>${toCurl({ method, path, baseUrl: book.baseUrl }, operation, resolve)}</code></pre>
${isForPeople(endpoint) && renderTryOut(endpoint, operation, resolve)}
<h4>${say.errors}</h4>
${endpoint.errors.length > 0 && renderErrors(endpoint.errors, say.errorsOf(endpoint.name), say)}
<p class="common">${endpoint.errors.length > 0 ? say.elsewhere : ''}${renderCommonErrors(endpoint, say)}</p>
</div>
</details>
`;
}

/** Excludes files and streams, which are for programs. */
const isForPeople = ({ answerForm, bodyForms }: AnyEndpoint): boolean =>
  answerForm !== 'events' && bodyForms.every(form => form === 'json' || form === 'form');

/** The script of the page turns it into a form. */
function renderTryOut(endpoint: AnyEndpoint, operation: Operation, resolve: Reading['resolve']): Html {
  const query = (operation.parameters ?? []).filter(({ in: where }) => where === 'query').map(({ name }) => name);
  const example = toJsonExample(operation, resolve);
  return html`<div id="try-${endpoint.name}" data-method="${endpoint.method}" data-path="${toOpenApiPath(endpoint.path)}" data-query="${query.join(' ')}"${example !== null && html` data-example="${example}"`}></div>`;
}

/** Long paths may break after each slash. */
const breakable = (path: string): Html =>
  html`${path.split('/').map((part, index) => (index === 0 ? part : html`/<wbr>${part}`))}`;

function toAccessText({ access }: AnyEndpoint, say: Say): string {
  switch (access) {
    case 'anonymous':
      return say.forAnybody;
    case 'optional':
      return say.forAnybodyMore;
    case 'signed-in':
      return say.forAccounts;
    case 'management':
      return say.forOperators;
    default:
      return say.needs(access);
  }
}

function renderParameters({ parameters = [] }: Operation, reading: Reading): Html | false {
  const { say } = reading;
  if (parameters.length === 0) return false;
  const fields = parameters.map(({ name, in: where, required, description = '', schema }): Field => {
    const [field] = listFields(schema, reading);
    const rules = [say.places[where], ...(field?.rules ?? [])];
    return { path: name, depth: 1, type: field?.type ?? 'string', required, rules, description };
  });
  return html`<h4>${say.parameters}</h4>${renderFields(fields, say.parameters, say)}`;
}

function renderBody({ requestBody }: Operation, reading: Reading): Html | false {
  const { say } = reading;
  if (!requestBody) return false;
  const forms = Object.keys(requestBody.content);
  const [content] = Object.values(requestBody.content);
  const how = html`<h4>${say.body}</h4><p>${forms.map((form, index) => html`${index > 0 && say.or}<code>${form}</code>`)}${!requestBody.required && say.mayBeLeftOut}</p>`;
  if (!content || forms.includes('application/octet-stream')) return how;
  return html`${how}${renderFields(listFields(content.schema, reading), say.fieldsOfBody, say)}`;
}

function renderAnswer(endpoint: AnyEndpoint, { responses }: Operation, reading: Reading): Html {
  const { say } = reading;
  const success = responses['200'];
  const content = success && 'content' in success ? success.content : {};
  const [[type = '', answer] = []] = Object.entries(content ?? {});
  const isEnvelope = endpoint.answerForm === 'envelope';
  const schema = isEnvelope
    ? ((answer?.schema.properties as Record<string, JsonSchema> | undefined)?.data ?? {})
    : (answer?.schema ?? {});
  if (schema.type === 'null') return html`<h4>${say.answer}</h4><p>${say.dataIsNull}</p>`;
  const isJson = type === 'application/json';
  const where = isEnvelope ? say.inData : say.bare(type);
  return html`<h4>${say.answer}</h4><p>${where}</p>${isJson && renderFields(listFields(schema, reading), say.fieldsOfAnswer, say)}`;
}

const renderFields = (fields: readonly Field[], label: string, say: Say): Html => html`<table aria-label="${label}">
<thead><tr><th scope="col">${say.field}</th><th scope="col">${say.type}</th><th scope="col">${say.about}</th></tr></thead>
<tbody>${fields.map(field => renderField(field, say))}</tbody></table>`;

const renderField = (
  field: Field,
  say: Say,
): Html => html`<tr><th scope="row"><code>${field.path || say.value}</code>${!field.required && html` <span class="optional">${say.optional}</span>`}</th><td>${field.type}</td><td>${field.description}${field.rules.map((rule, index) => html`${(index > 0 || field.description !== '') && say.between}${rule}`)}</td></tr>
`;

const renderErrors = (kinds: readonly ErrorKind[], label: string, say: Say): Html => html`<table aria-label="${label}">
<thead><tr><th scope="col">${say.status}</th><th scope="col">${say.code}</th><th scope="col">${say.errorName}</th><th scope="col">${say.meaning}</th></tr></thead>
<tbody>${kinds.map(kind => {
  const { status, code, message } = errorTable[kind];
  return html`<tr><td>${status}</td><td>${code}</td><th scope="row"><code>${kind}</code></th><td>${message}</td></tr>
`;
})}</tbody></table>`;

const renderCommonErrors = (endpoint: AnyEndpoint, say: Say): Html =>
  html`${listCommonErrors(endpoint)
    .filter(kind => !endpoint.errors.includes(kind))
    .map(
      (kind, index) => html`${index > 0 && ', '}<code>${errorTable[kind].code}</code> ${errorTable[kind].message}`,
    )}. <a href="#errors">${say.allErrors}</a>`;
