import { filterLimits } from '@portico/contract/filter'
import { Text, TextInput } from '@mantine/core'
import type { TabProps } from '../props.ts'

/** Words to search for in all texts of a contact. */
export function FullTextTab({ draft, onChange, problems }: TabProps) {
  return (
    <>
      <TextInput
        label="Words"
        maxLength={filterLimits.searchLength}
        value={draft.fullText}
        error={problems['words']}
        onChange={(event) => onChange({ ...draft, fullText: event.currentTarget.value })}
      />
      <Text size="xs" c="dimmed" mt={6}>
        Finds contacts with words that begin with each search word, in any letter case. Best matches come first.
      </Text>
    </>
  )
}
