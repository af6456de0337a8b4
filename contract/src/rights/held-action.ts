/**
 * Whether an action of a policy covers the one whose parts are `wanted`, in lower case. `*` matches any part; letter
 * case does not matter. The evaluator decides by this function.
 */
export function heldActionFits(held: string, wanted: readonly string[]): boolean {
  const parts = held.toLowerCase().split('::')
  return parts.length === wanted.length && parts.every((part, index) => part === '*' || part === wanted[index])
}
