/** A value of a form as text. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(empty)'
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(shownValue).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
