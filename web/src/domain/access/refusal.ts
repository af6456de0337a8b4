import { isApiError, messageOf } from '#lib/api/api-error.ts'

type Form = { setFieldError: (field: string, message: string) => void }

/**
 * Shows at their fields what the server refused. Returns what no field can show, or null. A taken name shows
 * at `nameField`; entries of a list (`actions.0`) at the list. A newer version is shown by `SavedMeanwhile`.
 */
export function showRefusal(form: Form, error: unknown, nameField: string, fields: readonly string[]): string | null {
  if (isApiError(error, 'name_taken')) {
    form.setFieldError(nameField, messageOf(error))
    return null
  }
  if (isApiError(error, 'newer_version')) return null
  const problems = isApiError(error, 'invalid_input') ? error.fieldProblems : []
  const others: string[] = []
  for (const { field, message } of problems) {
    const [root = field] = field.split('.')
    if (fields.includes(root)) form.setFieldError(root, message)
    else others.push(`${field}: ${message}`)
  }
  if (problems.length > 0) return others.length > 0 ? others.join(' ') : null
  return messageOf(error)
}
