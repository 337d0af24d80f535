// Styles of the three statements of a verification, on every page that shows them.

export const statementStyles = `
.statements .headline { font-weight: 600; }
.statement { --tone: var(--open); padding: 0.5rem 0 0.5rem 0.9rem; margin-bottom: 0.5rem; border-left: 4px solid var(--tone); }
.statement p { margin: 0; overflow-wrap: anywhere; }
.statement .mark { color: var(--tone); font-weight: 600; white-space: nowrap; }
.statements .line { color: var(--quiet); font-size: 0.9375rem; }
.statement.HOLDS { --tone: var(--good); }
.statement.CONTRADICTED { --tone: var(--bad); }
.statement.DAMAGED { --tone: var(--broken); }`;
