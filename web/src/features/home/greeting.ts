/** The greeting for the time of day, with a person's first name; an email is shown unchanged. */
export function greeting(now: Date, name: string): string {
  const hour = now.getHours()
  const first = name.includes('@') ? name : (name.trim().split(/\s+/)[0] ?? name)
  if (hour < 5 || hour >= 18) return `Good evening, ${first}`
  return hour < 12 ? `Good morning, ${first}` : `Good afternoon, ${first}`
}
