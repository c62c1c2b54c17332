import ts from 'typescript';

/**
 * Lists all mutants of a source: changed operators, fixed conditions, removed statements, changed constants and removed
 * pattern anchors. Types, imports and message texts are not mutated.
 *
 * @typedef {{ line: number, was: string, becomes: string, start: number, end: number }} Mutant
 * @param {string} text
 * @returns {Mutant[]}
 */
export function mutantsOf(text) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true);
  const found = [];
  const addMutant = (node, becomes) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const was = text.slice(start, end);
    if (was === becomes) return;
    found.push({ line: source.getLineAndCharacterOfPosition(start).line + 1, was, becomes, start, end });
  };
  visit(source, addMutant, source);
  return found;
}

/** @param {string} text @param {Mutant} mutant */
export const mutated = (text, { start, end, becomes }) => text.slice(0, start) + becomes + text.slice(end);

const K = ts.SyntaxKind;
const REPLACED_OPERATORS = {
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
const REPLACED_METHODS = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
};
const REMOVED_METHODS = new Set(['toLowerCase', 'trim', 'filter', 'normalize', 'reverse', 'sort']);

function visit(node, addMutant, source) {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
  if (ts.isTypeAliasDeclaration(node)) return;
  mutateNode(node, addMutant, source);
  ts.forEachChild(node, (child) => visit(child, addMutant, source));
}

function mutateNode(node, addMutant, source) {
  const textOf = (each) => each.getText(source);
  if (ts.isBinaryExpression(node)) {
    for (const operator of REPLACED_OPERATORS[node.operatorToken.kind] ?? []) addMutant(node.operatorToken, operator);
  } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    for (const constant of ts.isIfStatement(node) ? ['true', 'false'] : ['false']) addMutant(node.expression, constant);
  } else if (ts.isConditionalExpression(node)) {
    for (const constant of ['true', 'false']) addMutant(node.condition, constant);
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) {
    addMutant(node, `(${textOf(node.operand)})`);
  } else if (ts.isReturnStatement(node) && node.expression) {
    if (textOf(node.expression) !== 'undefined') addMutant(node.expression, 'undefined');
  } else if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword) {
    addMutant(node, node.kind === K.TrueKeyword ? 'false' : 'true');
  } else if (ts.isNumericLiteral(node)) {
    addMutant(node, `(${textOf(node)} + 1)`);
  } else if (ts.isStringLiteral(node) && isConstant(node)) {
    addMutant(node, "'mutant'");
  } else if (ts.isRegularExpressionLiteral(node)) {
    for (const pattern of patterns(textOf(node))) addMutant(node, pattern);
  } else if (ts.isArrayLiteralExpression(node) && node.elements.length > 0 && !ts.isVariableDeclaration(node.parent)) {
    addMutant(node, '[]');
  } else if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) {
    addMutant(node, ';');
  } else if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    if (REPLACED_METHODS[name.text]) addMutant(name, REPLACED_METHODS[name.text]);
    if (REMOVED_METHODS.has(name.text)) addMutant(node, textOf(expression));
  }
}

function isConstant(node) {
  const { parent, text } = node;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return false;
  if (ts.isNewExpression(parent) && /Error$/.test(parent.expression.getText())) return false;
  return text !== '' && !/ \w+ /.test(text);
}

function patterns(literal) {
  const [, body, flags] = /^\/(.*)\/([a-z]*)$/s.exec(literal);
  return [
    ...(/^\^/.test(body) ? [`/${body.slice(1)}/${flags}`] : []),
    ...(/[^\\]\$$/.test(body) ? [`/${body.slice(0, -1)}/${flags}`] : []),
    ...(flags.includes('i') ? [`/${body}/${flags.replace('i', '')}`] : []),
  ];
}
