import ts from 'typescript';

/**
 * Every small change to a source that its tests should notice: an operator turned, a condition decided, a statement
 * left out, a constant changed, an anchor of a pattern lost. What is no behaviour is left alone: types, imports,
 * sentences for people.
 *
 * @typedef {{ line: number, was: string, becomes: string, start: number, end: number }} Mutant
 * @param {string} text
 * @returns {Mutant[]}
 */
export function mutantsOf(text) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const found = [];
  const put = (node, becomes) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const was = text.slice(start, end);
    if (was === becomes) return;
    found.push({ line: source.getLineAndCharacterOfPosition(start).line + 1, was, becomes, start, end });
  };
  visit(source, put, source);
  return found;
}

/** @param {string} text @param {Mutant} mutant */
export const mutated = (text, { start, end, becomes }) => text.slice(0, start) + becomes + text.slice(end);

const K = ts.SyntaxKind;
const TURNED = {
  [K.EqualsEqualsEqualsToken]: ['!=='],
  [K.ExclamationEqualsEqualsToken]: ['==='],
  [K.LessThanToken]: ['<=', '>='],
  [K.LessThanEqualsToken]: ['<', '>'],
  [K.GreaterThanToken]: ['>=', '<='],
  [K.GreaterThanEqualsToken]: ['>', '<'],
  [K.PlusToken]: ['-'],
  [K.MinusToken]: ['+'],
  [K.AsteriskToken]: ['/'],
  [K.SlashToken]: ['*'],
  [K.AmpersandAmpersandToken]: ['||'],
  [K.BarBarToken]: ['&&'],
  [K.QuestionQuestionToken]: ['&&'],
  [K.AmpersandToken]: ['|'],
  [K.BarToken]: ['&'],
  [K.CaretToken]: ['&'],
  [K.GreaterThanGreaterThanToken]: ['<<'],
  [K.LessThanLessThanToken]: ['>>'],
};
const CALLED = { some: 'every', every: 'some', startsWith: 'endsWith', endsWith: 'startsWith', min: 'max', max: 'min' };
const DROPPED = new Set(['toLowerCase', 'trim', 'filter', 'normalize', 'reverse', 'sort']);

function visit(node, put, source) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
  if (ts.isTypeAliasDeclaration(node)) return;
  change(node, put, source);
  ts.forEachChild(node, (child) => visit(child, put, source));
}

function change(node, put, source) {
  const inner = (each) => each.getText(source);
  if (ts.isBinaryExpression(node)) {
    for (const operator of TURNED[node.operatorToken.kind] ?? []) put(node.operatorToken, operator);
  } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    for (const verdict of ts.isIfStatement(node) ? ['true', 'false'] : ['false']) put(node.expression, verdict);
  } else if (ts.isConditionalExpression(node)) {
    for (const verdict of ['true', 'false']) put(node.condition, verdict);
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) {
    put(node, `(${inner(node.operand)})`);
  } else if (ts.isReturnStatement(node) && node.expression) {
    if (inner(node.expression) !== 'undefined') put(node.expression, 'undefined');
  } else if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword) {
    put(node, node.kind === K.TrueKeyword ? 'false' : 'true');
  } else if (ts.isNumericLiteral(node)) {
    put(node, `(${inner(node)} + 1)`);
  } else if (ts.isStringLiteral(node) && isConstant(node)) {
    put(node, "'mutant'");
  } else if (ts.isRegularExpressionLiteral(node)) {
    for (const pattern of patterns(inner(node))) put(node, pattern);
  } else if (ts.isArrayLiteralExpression(node) && node.elements.length > 0 && !ts.isVariableDeclaration(node.parent)) {
    put(node, '[]');
  } else if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) {
    put(node, ';');
  } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    if (CALLED[name.text]) put(name, CALLED[name.text]);
    if (DROPPED.has(name.text)) put(node, inner(expression));
  }
}

/** A word that the program goes by, and no sentence for people. */
function isConstant(node) {
  const { parent, text } = node;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (ts.isNewExpression(parent) && /Error$/.test(parent.expression.getText())) return false;
  return text !== '' && !/ \w+ /.test(text);
}

/** The pattern without each of its anchors, and without its flags. */
function patterns(literal) {
  const [, body, flags] = /^\/(.*)\/([a-z]*)$/s.exec(literal);
  return [
    ...(/^\^/.test(body) ? [`/${body.slice(1)}/${flags}`] : []),
    ...(/[^\\]\$$/.test(body) ? [`/${body.slice(0, -1)}/${flags}`] : []),
    ...(flags.includes('i') ? [`/${body}/${flags.replace('i', '')}`] : []),
  ];
}
