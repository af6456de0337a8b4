import { withoutNoise } from '../decimals.ts'
import { foldName } from '../names.ts'
/** A value of a column, or the result of an expression. Null means no value. */
export type ColumnValue = number | string | boolean | null

/** An expression of a calculated column that has been parsed and can be evaluated. */
export type ColumnExpression = {
  /** The columns that it uses, folded by `foldName`. */
  columns: string[]
  /** Whether its result comes from `round`, with that number of decimals. */
  isRounded: boolean
  /** Returns null if an operand has no value, or for a division by zero. Never throws. */
  evaluate: (valueOf: (column: string) => ColumnValue) => ColumnValue
}

/** Limits of an expression. */
export const expressionLimits = { length: 2000, depth: 100 }

/** Why an expression cannot be parsed. `at` is the position of the character, from 0. */
export class ExpressionError extends Error {
  readonly at: number
  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

type Evaluate = ColumnExpression['evaluate']
type Token = { kind: 'number' | 'text' | 'column' | 'name' | 'sign' | 'end'; text: string; at: number }

const tokens =
  /\s*(?:(?<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|"(?<text>[^"]*)"|\{\{(?<column>.*?)\}\}|(?<name>[a-z]+)|(?<sign><=|>=|<>|!=|==|[-+*/%(),<>=−×÷]))/iy

/** Signs with more than one spelling. */
const spellings = new Map([
  ['−', '-'],
  ['×', '*'],
  ['÷', '/'],
  ['==', '='],
  ['<>', '!='],
])

function readTokens(source: string): Token[] {
  const found: Token[] = []
  const end = source.trimEnd().length
  const token = new RegExp(tokens)
  while (token.lastIndex < end) {
    const start = token.lastIndex
    const at = start + (source.slice(start).length - source.slice(start).trimStart().length)
    const groups = token.exec(source)?.groups
    const [kind, text] = Object.entries(groups ?? {}).find(([, value]) => value !== undefined) ?? []
    if (kind === undefined || text === undefined) throw new ExpressionError(`"${source[at]}" is not expected here.`, at)
    found.push({ kind: kind as Token['kind'], text: kind === 'sign' ? (spellings.get(text) ?? text) : text, at })
  }
  return [...found, { kind: 'end', text: '', at: end }]
}

/**
 * Parses an expression of a calculated column: numbers, `"text"`, `{{column}}`, `+ - * / %` (also `− × ÷`), comparisons
 * `= != < <= > >=`, parentheses, and `round`, `abs`, `min`, `max` and `if(condition, then, else)`. A text that is a
 * number counts as that number.
 * @throws ExpressionError
 */
export function readExpression(source: string): ColumnExpression {
  const { length } = expressionLimits
  if (source.length > length) throw new ExpressionError(`Use at most ${length} characters.`, length)
  const reader = new Reader(readTokens(source))
  const evaluate = reader.whole()
  return { columns: [...reader.columns], isRounded: reader.rounding === evaluate, evaluate }
}

/** A Pratt parser that compiles to closures. */
class Reader {
  readonly columns = new Set<string>()
  /** The last `round` that was parsed. If it is not the whole expression, no earlier one is. */
  rounding: Evaluate | null = null
  private position = 0
  private depth = 0
  private readonly tokens: Token[]

  constructor(tokens: Token[]) {
    this.tokens = tokens
  }

  whole(): Evaluate {
    const evaluate = this.operation(0)
    const { kind, at } = this.next()
    if (kind !== 'end') throw new ExpressionError('An operator is missing here.', at)
    return evaluate
  }

  private peek(): Token {
    return this.tokens[this.position] ?? { kind: 'end', text: '', at: 0 }
  }

  private next(): Token {
    const token = this.peek()
    this.position++
    return token
  }

  private expect(sign: string): void {
    const { kind, text, at } = this.next()
    if (kind !== 'sign' || text !== sign) throw new ExpressionError(`"${sign}" is missing here.`, at)
  }

  /** Parses operators that bind more tightly than `tightness`. */
  private operation(tightness: number): Evaluate {
    if (++this.depth > expressionLimits.depth) {
      throw new ExpressionError(`Nest at most ${expressionLimits.depth} levels.`, this.peek().at)
    }
    let left = this.operand()
    for (;;) {
      const { kind, text } = this.peek()
      const operator = kind === 'sign' ? operators.get(text) : undefined
      if (!operator || operator.tightness <= tightness) break
      this.next()
      left = operator.compile(left, this.operation(operator.tightness))
    }
    this.depth--
    return left
  }

  private operand(): Evaluate {
    const { kind, text, at } = this.next()
    switch (kind) {
      case 'number':
        return constant(Number(text))
      case 'text':
        return constant(text)
      case 'column':
        return this.column(text, at)
      case 'name':
        return this.call(text, at)
      case 'sign':
        return this.signed(text, at)
      case 'end':
        throw new ExpressionError('A value is missing at the end.', at)
    }
  }

  private column(name: string, at: number): Evaluate {
    const key = foldName(name)
    if (key === '') throw new ExpressionError('Name a column between {{ and }}.', at)
    this.columns.add(key)
    return (valueOf) => valueOf(key)
  }

  private signed(sign: string, at: number): Evaluate {
    if (sign === '(') {
      const inner = this.operation(0)
      this.expect(')')
      return inner
    }
    if (sign !== '-' && sign !== '+') throw new ExpressionError(`A value is missing before "${sign}".`, at)
    const operand = this.operation(unaryTightness)
    return withNumbers((value = 0) => (sign === '-' ? -value : value), [operand])
  }

  private call(name: string, at: number): Evaluate {
    const made = functions.get(name.toLowerCase())
    if (!made) throw new ExpressionError(`There is no function "${name}". Put columns in {{ }}.`, at)
    this.expect('(')
    const operands = [this.operation(0)]
    while (this.peek().text === ',' && this.peek().kind === 'sign') {
      this.next()
      operands.push(this.operation(0))
    }
    this.expect(')')
    if (operands.length < made.least || operands.length > made.most) throw new ExpressionError(made.usage, at)
    const compiled = made.compile(operands)
    if (made === round) this.rounding = compiled
    return compiled
  }
}

const constant =
  (value: ColumnValue): Evaluate =>
  () =>
    value

/** Returns the number that a value represents; null if it is not a number. */
function toNumber(value: ColumnValue): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null)

/** Returns null if any operand is not a number. */
function withNumbers(work: (...numbers: number[]) => number | null, operands: Evaluate[]): Evaluate {
  return (valueOf) => {
    const numbers = operands.map((operand) => toNumber(operand(valueOf)))
    return numbers.includes(null) ? null : finite(work(...numbers.filter((number) => number !== null)))
  }
}

type Binary = { tightness: number; compile: (left: Evaluate, right: Evaluate) => Evaluate }

const unaryTightness = 4

const arithmetic = (tightness: number, work: (left: number, right: number) => number | null): Binary => ({
  tightness,
  compile: (left, right) =>
    withNumbers(
      (one = 0, other = 0) => {
        const value = work(one, other)
        return value === null ? null : withoutNoise(value)
      },
      [left, right],
    ),
})

const comparison = (holds: (order: number) => boolean): Binary => ({
  tightness: 1,
  compile: (left, right) => (valueOf) => {
    const order = compare(left(valueOf), right(valueOf))
    return order === null ? null : holds(order)
  },
})

/** Returns below 0, 0 or above 0: compares as numbers if both are, otherwise as texts. Null if one has no value. */
function compare(one: ColumnValue, other: ColumnValue): number | null {
  if (one === null || other === null) return null
  const [left, right] = [toNumber(one), toNumber(other)]
  if (left !== null && right !== null) return left - right
  return String(one) === String(other) ? 0 : String(one) < String(other) ? -1 : 1
}

const operators = new Map<string, Binary>([
  ['=', comparison((order) => order === 0)],
  ['!=', comparison((order) => order !== 0)],
  ['<', comparison((order) => order < 0)],
  ['<=', comparison((order) => order <= 0)],
  ['>', comparison((order) => order > 0)],
  ['>=', comparison((order) => order >= 0)],
  ['+', arithmetic(2, (left, right) => left + right)],
  ['-', arithmetic(2, (left, right) => left - right)],
  ['*', arithmetic(3, (left, right) => left * right)],
  ['/', arithmetic(3, (left, right) => (right === 0 ? null : left / right))],
  ['%', arithmetic(3, (left, right) => (right === 0 ? null : left % right))],
])

type Call = { least: number; most: number; usage: string; compile: (operands: Evaluate[]) => Evaluate }

const round: Call = {
  least: 1,
  most: 2,
  usage: 'round takes a number and perhaps how many decimals.',
  compile: (operands) => withNumbers((value = 0, places = 0) => rounded(value, places), operands),
}

const functions = new Map<string, Call>([
  ['round', round],
  [
    'abs',
    {
      least: 1,
      most: 1,
      usage: 'abs takes one number.',
      compile: (operands) => withNumbers((value = 0) => Math.abs(value), operands),
    },
  ],
  ['min', manyNumbers('min', Math.min)],
  ['max', manyNumbers('max', Math.max)],
  [
    'if',
    {
      least: 3,
      most: 3,
      usage: 'if takes a condition, a value when it holds, and a value when it does not.',
      compile: ([condition, then, otherwise]) => {
        const none = constant(null)
        return (valueOf) => {
          const holds = (condition ?? none)(valueOf)
          if (holds === null) return null
          return ((isTrue(holds) ? then : otherwise) ?? none)(valueOf)
        }
      },
    },
  ],
])

function manyNumbers(name: string, work: (...numbers: number[]) => number): Call {
  const usage = `${name} takes at least one number.`
  return { least: 1, most: Number.MAX_SAFE_INTEGER, usage, compile: (operands) => withNumbers(work, operands) }
}

const isTrue = (value: ColumnValue): boolean => value === true || (value !== false && (toNumber(value) ?? 0) !== 0)

/** Rounds half away from zero by the number's decimal digits: 1.005 gives 1.01. */
function rounded(value: number, places: number): number {
  const digits = Math.min(Math.max(Math.trunc(places), -15), 15)
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toString().split('e')
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`))
  const [whole = '0', power = '0'] = shifted.toString().split('e')
  return Math.sign(value) * Number(`${whole}e${Number(power) - digits}`)
}
