import type { UseFormReturnType } from '@mantine/form'
import { isApiError, messageOf } from '#lib/api/api-error.ts'

/** Shows what the server refused at its field; answers what no field can say, null when all was said. */
export function showProblems<Values extends Record<string, unknown>>(
  form: Pick<UseFormReturnType<Values>, 'values' | 'setFieldError'>,
  error: Error,
): string | null {
  const known = isApiError(error) ? error.fieldProblems.filter(({ field }) => field in form.values) : []
  for (const { field, message } of known) form.setFieldError(field, message)
  return known.length > 0 ? null : messageOf(error)
}
