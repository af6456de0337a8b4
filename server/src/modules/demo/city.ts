/** A city that people of the demo live in. */
export type City = {
  name: string
  state: string
  country: string
  latitude: number
  longitude: number
  /** Form of a phone number; `#` stands for any digit. */
  phones: readonly string[]
  zips: readonly string[]
  /** How many live there, in proportion to the other cities. */
  weight: number
}
