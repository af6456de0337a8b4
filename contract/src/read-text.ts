import { z } from 'zod'

/**
 * A value of a request that means more than its text, as the contract has read it: the items of a list, JSON, or stages
 * of the filter language. Conditions of policies check it; handlers read the text with the same function.
 */
export class ReadText {
  readonly kind: 'list' | 'json' | 'stages'
  readonly value: unknown
  /** The value in its one canonical spelling. */
  readonly text: string

  private constructor(kind: ReadText['kind'], value: unknown, text: string) {
    this.kind = kind
    this.value = value
    this.text = text
  }

  static list(items: readonly string[], text: string): ReadText {
    return new ReadText('list', items, text)
  }

  static json(value: unknown, text: string): ReadText {
    return new ReadText('json', value, text)
  }

  static stages(stages: unknown): ReadText {
    return new ReadText('stages', stages, JSON.stringify(stages))
  }
}

type Form = { read: (value: unknown) => unknown }
const forms = z.registry<Form>()

/** Declares how conditions read the values that a schema has accepted. */
export function readBy<T extends z.ZodType>(schema: T, read: (value: z.output<T>) => unknown): T {
  // The schema has produced the value.
  forms.add(schema, { read: (value) => read(value as z.output<T>) })
  return schema
}

/** A list written as one text. `read` returns null for a text that is not one, and restores the output of `write`. */
export function listText(schema: z.ZodType<string, string>, { read, write, problem }: ListForm) {
  const list = schema
    .transform((text, context) => {
      const items = read(text)
      if (items !== null) return write(items)
      context.addIssue({ code: 'custom', message: problem })
      return z.NEVER
    })
    .pipe(z.string())
  return readBy(list, (text) => ReadText.list(read(text) ?? [], text))
}

type ListForm = {
  read: (text: string) => string[] | null
  write: (items: readonly string[]) => string
  problem: string
}

/**
 * Returns the output of a schema for conditions to check: each part that has a form of its own becomes a `ReadText`.
 * Handlers get the value itself.
 */
export function judgedValue(schema: z.ZodType, value: unknown): unknown {
  if (value === undefined || value === null) return value
  const form = forms.get(schema)
  if (form) return form.read(value)
  if (schema instanceof z.ZodObject) return judgedObject(schema, value)
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => judgedValue(schema.element as z.ZodType, item))
  if (schema instanceof z.ZodRecord && isRecord(value)) return mapped(value, () => schema.valueType as z.ZodType)
  if (schema instanceof z.ZodPipe) return judgedValue(schema.out as z.ZodType, value)
  if (schema instanceof z.ZodUnion) {
    const options = schema.options as readonly z.ZodType[]
    const option = options.find((each) => each.safeParse(value).success)
    return option ? judgedValue(option, value) : value
  }
  const inner = innerOf(schema)
  return inner ? judgedValue(inner, value) : value
}

/** Returns the schema within one that only declares when a value may be missing. */
export function innerOf(schema: z.ZodType): z.ZodType | null {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy
  return isWrapper ? (schema.unwrap() as z.ZodType) : null
}

/** Returns whether conditions read the values of a schema in a form of their own. */
export const hasForm = (schema: z.ZodType): boolean => forms.has(schema)

function judgedObject(schema: z.ZodObject, value: unknown): unknown {
  if (!isRecord(value)) return value
  const { catchall } = schema.def
  return mapped(value, (name) => (Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : catchall))
}

function mapped(value: Record<string, unknown>, schemaOf: (name: string) => unknown): Record<string, unknown> {
  const entries = Object.entries(value).map(([name, inner]) => {
    const schema = schemaOf(name)
    return [name, schema instanceof z.ZodType ? judgedValue(schema, inner) : inner] as const
  })
  return Object.fromEntries(entries)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
