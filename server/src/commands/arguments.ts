import { AccountId } from '@portico/contract/accounts'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { invalidField } from '#platform/app-error.ts'
import { readInput } from '#platform/input-problems.ts'

/** Parses an argument as the API would. Throws `invalid_input` with the problem. */
export function validated<Schema extends z.ZodType>(schema: Schema, name: string, value: unknown): z.output<Schema> {
  const { data, problems } = readInput(schema, value)
  if (problems === null) return data
  const [problem] = problems
  throw invalidField(
    !problem || problem.field === 'body' ? name : problem.field,
    problem?.message ?? 'Value is invalid!',
  )
}

export function addTo(value: string, given: string[] = []): string[] {
  return [...given, value]
}

export function accountId(value: string): AccountId {
  const id = AccountId.safeParse(value)
  if (!id.success) throw new InvalidArgumentError("An account's id is a positive whole number.")
  return id.data
}

export function personId(value: string): string {
  const id = z.guid().safeParse(value)
  if (!id.success) throw new InvalidArgumentError("A person's id is a UUID.")
  return id.data
}
