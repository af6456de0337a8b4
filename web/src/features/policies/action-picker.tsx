import { areas } from '@portico/contract/rights/action-names'
import { canBeNamed, knownActions } from '@portico/contract/rights/action-words'
import { Select } from '@mantine/core'
import { foldText } from '@portico/domain/names'

const nameable = knownActions.filter(canBeNamed)

type ActionPickerProps = {
  /** Those of the policy, which are not offered. */
  actions: readonly string[]
  onPick: (action: string) => void
}

/** Adds an action by its name, from the areas of the portal. */
export function ActionPicker({ actions, onPick }: ActionPickerProps) {
  const held = new Set(actions.map(foldText))
  const data = areas.flatMap((area) => {
    const items = nameable
      .filter((each) => each.area === area && !held.has(foldText(each.action)))
      .map(({ action, name }) => ({ value: action, label: name }))
    return items.length > 0 ? [{ group: area, items }] : []
  })
  return (
    <Select
      label="Add by area"
      placeholder="Search by what it allows, such as Export contacts"
      data={data}
      value={null}
      searchable
      nothingFoundMessage="No action has this name."
      mb="xs"
      onChange={(action) => action !== null && onPick(action)}
    />
  )
}
