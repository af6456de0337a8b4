import type { ErrorCode } from '@portico/contract/errors'
import { messages } from '@portico/contract/messages'
import type { UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { isApiError, messageOf } from './api/api-error.ts'

/** The parts of a `@mantine/form` form that submitting needs. */
export type SubmittedForm<Values> = { values: Values; setFieldError: (field: string, message: string) => void }

/** For dialogs without fields to show a refusal at. */
export const noFields: SubmittedForm<Record<string, never>> = { values: {}, setFieldError: () => undefined }

type RefusalOptions<Values> = {
  /** The field that shows `name_taken`, or a function that shows it. */
  nameField?: (keyof Values & string) | (() => void)
  /** The text that `nameField` shows, if not 'Value is duplicate!'. */
  readTaken?: (error: Error) => string
  /** The field that shows all other errors, if the form has one. */
  restField?: keyof Values & string
  /** Fields that show errors of other codes. */
  fieldsOfCodes?: Partial<Record<ErrorCode, keyof Values & string>>
  /** The form's field that shows problems of a field of the request; null if there is none. */
  findField?: (field: string) => (keyof Values & string) | null
}

type SubmitOptions<Values, Reply> = RefusalOptions<Values> & {
  done?: (reply: Reply) => unknown
  /** Called after the fields have their messages, with the text that no field shows. */
  refused?: (problem: string | null, error: Error) => unknown
  /** The problem that the form opens with, shown until it is sent. */
  given?: string | null
  /** Called after success and after failure. */
  settled?: () => void
}

/** The parts of a mutation that submitting needs. */
type Submission<Input, Reply> = Pick<UseMutationResult<Reply, Error, Input>, 'mutate' | 'isPending'>

/**
 * Sends a form's values and shows the server's refusals at its fields. `problem` is the text that no field shows, or
 * one that the form set itself. The form validates its values first.
 */
export function useSubmit<Values extends Record<string, unknown>, Input, Reply>(
  form: SubmittedForm<Values>,
  mutation: Submission<Input, Reply>,
  options: SubmitOptions<Values, Reply> = {},
) {
  const [problem, setProblem] = useState(options.given ?? null)
  const submit = (input: Input): void => {
    setProblem(null)
    mutation.mutate(input, {
      onSuccess: (reply) => options.done?.(reply),
      onError: (error) => {
        const rest = showRefusal(form, error, options)
        setProblem(rest)
        options.refused?.(rest, error)
      },
      onSettled: () => options.settled?.(),
    })
  }
  return { submit, problem, setProblem, isBusy: mutation.isPending }
}

/**
 * Shows a server's refusal at its field, and returns the text that no field shows. Problems of list entries
 * (`actions.0`) show at the list. `SavedMeanwhile` shows a newer version.
 */
export function showRefusal<Values extends Record<string, unknown>>(
  form: SubmittedForm<Values>,
  error: unknown,
  options: RefusalOptions<Values> = {},
): string | null {
  const rest = showAtFields(form, error, options)
  if (rest === null || options.restField === undefined) return rest
  form.setFieldError(options.restField, rest)
  return null
}

function showAtFields<Values extends Record<string, unknown>>(
  form: SubmittedForm<Values>,
  error: unknown,
  options: RefusalOptions<Values>,
): string | null {
  const {
    nameField,
    readTaken = () => messages.duplicate,
    fieldsOfCodes,
    findField = (field) => findOwnField(form.values, field),
  } = options
  if (!isApiError(error)) return messageOf(error)
  if (error.code === 'newer_version') return null
  if (error.code === 'name_taken' && nameField !== undefined) {
    if (typeof nameField === 'string') form.setFieldError(nameField, readTaken(error))
    else nameField()
    return null
  }
  const fieldOfCode = fieldsOfCodes?.[error.code]
  if (fieldOfCode !== undefined) {
    form.setFieldError(fieldOfCode, error.message)
    return null
  }
  const problems = error.fieldProblems
  if (problems.length === 0) return messageOf(error)
  const others: string[] = []
  for (const { field, message } of problems) {
    const shown = findField(field)
    if (shown === null) others.push(`${field}: ${message}`)
    else form.setFieldError(shown, message)
  }
  return others.length > 0 ? others.join(' ') : null
}

function findOwnField<Values extends Record<string, unknown>>(
  values: Values,
  field: string,
): (keyof Values & string) | null {
  const [root = field] = field.split('.')
  return root in values ? root : null
}
