import { isApiError } from '#lib/api/api-error.ts'

const mostTries = 3

/**
 * Changes part of an item that no form shows, such as adding to a list: reads the item and saves over exactly that
 * version, and repeats this once if it was saved in between. `put` sends the version of the item that it receives.
 */
export async function changeFresh<Item, Saved>(
  read: () => Promise<Item>,
  put: (item: Item) => Promise<Saved>,
): Promise<Saved> {
  for (let tries = 1; ; tries++) {
    try {
      return await put(await read())
    } catch (error) {
      if (tries === mostTries || !isApiError(error, 'newer_version')) throw error
    }
  }
}
