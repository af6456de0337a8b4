import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight'

/** Typing finds more. */
const shownAtMost = 60

/** The commands that match a text, in their groups: by their labels first, then by their other keywords. */
export function matchingCommands(groups: SpotlightActionGroupData[], text: string): SpotlightActionGroupData[] {
  const wanted = text.trim().toLowerCase()
  const has = (known: string | string[] | undefined): boolean =>
    [known ?? ''].flat().some((one) => one.toLowerCase().includes(wanted))
  const isLabelled = ({ label }: SpotlightActionData): boolean => has(label)
  const isKnown = (command: SpotlightActionData): boolean => has(command.description) || has(command.keywords)
  let left = shownAtMost
  return groups
    .map(({ group, actions }) => {
      const labelled = actions.filter(isLabelled)
      const others = actions.filter((command) => !isLabelled(command) && isKnown(command))
      return { group, actions: [...labelled, ...others], isLabelled: labelled.length > 0 }
    })
    .toSorted((one, other) => Number(other.isLabelled) - Number(one.isLabelled))
    .map(({ group, actions }) => {
      const shown = actions.slice(0, left)
      left -= shown.length
      return { group, actions: shown }
    })
    .filter(({ actions }) => actions.length > 0)
}
