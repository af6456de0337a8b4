export function ExportsPage() {
  return null
}
