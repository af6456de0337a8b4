import type { ExportInstruction } from '@portico/contract/scheduler/instructions'
import { delimiterNames } from '#domain/fields'
import { describeNotification } from '#domain/job-lists'
import { QueryInWords } from '#domain/results'
import { formatNumber } from '#lib/formats.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'

/**
 * The export that each run of a cron makes. The server has validated the instruction, or the dialog of exports has
 * built it.
 */
export function ExportSettings({ instruction }: { instruction: Record<string, unknown> }) {
  const { name, delimiter, shouldZip, exportFields, aggregateQuery, notifications } =
    instruction as Partial<ExportInstruction>
  return (
    <DefinitionList
      columns={3}
      label="Export Settings"
      items={[
        { term: 'Export Name', value: name },
        { term: 'File Delimiter', value: delimiter && delimiterNames[delimiter] },
        { term: 'Zip', value: shouldZip ? 'Yes' : 'No' },
        { term: 'Filter Query', value: <QueryInWords query={aggregateQuery ?? null} />, isWide: true },
        { term: 'Notifications', value: (notifications ?? []).map(describeNotification).join(', '), isWide: true },
        {
          term: `Fields (${formatNumber(exportFields?.length ?? 0)})`,
          value: <NameList names={exportFields ?? []} />,
          isWide: true,
          key: 'fields',
        },
      ]}
    />
  )
}
