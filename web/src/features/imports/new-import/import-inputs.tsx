import { Button, Select, TagsInput, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import type { ImportFile } from './import-file.ts'
import { batchSizes, delimiterNames } from './new-import-rules.ts'

// Inputs common to imports of contacts and events. They take the props of a form's `getInputProps`.

function DelimiterSelect({ file, ...input }: GetInputPropsReturnType & { file: ImportFile }) {
  const likely = file.likelyDelimiter
  const isOther = likely && likely !== input.value
  return (
    <div>
      <Select
        label="File Delimiter"
        data={Object.entries(delimiterNames).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...input}
      />
      {isOther && (
        <Text component="output" display="block" size="xs" mt={4}>
          The file looks {likely}-separated.{' '}
          <Button variant="subtle" size="compact-xs" onClick={() => input.onChange(likely)}>
            {`Use ${delimiterNames[likely]}`}
          </Button>
        </Text>
      )}
    </div>
  )
}

export function BatchSizeSelect(input: GetInputPropsReturnType) {
  return (
    <Select
      label="Batch Size"
      description="Records per transaction."
      data={batchSizes.map((size) => ({ value: size, label: `${size} thousand` }))}
      allowDeselect={false}
      {...input}
    />
  )
}

const maxEmails = 20

/** The sheet of a workbook that has several; the delimiter of any other file. */
export function SheetOrDelimiter({ file, ...input }: GetInputPropsReturnType & { file: ImportFile }) {
  if (!file.isWorkbook) return <DelimiterSelect file={file} {...input} />
  if (file.sheets.length < 2) return null
  return (
    <Select
      label="Sheet"
      data={file.sheets.map(({ name, isHidden }) => ({ value: name, label: isHidden ? `${name} (hidden)` : name }))}
      allowDeselect={false}
      value={file.sheet}
      onChange={(sheet) => sheet !== null && void file.chooseSheet(sheet)}
    />
  )
}

/** Emails to notify when the import ends. */
export function EmailsInput({ about, ...input }: GetInputPropsReturnType & { about: string }) {
  // The value is the form's list.
  const chosen = (input.value as string[]).length
  return (
    <TagsInput
      label="Notification Emails"
      description={`${about}At most ${maxEmails}. Press Enter after an e-mail.`}
      placeholder={chosen < maxEmails ? 'name@example.com' : ''}
      maxTags={maxEmails}
      {...input}
    />
  )
}
