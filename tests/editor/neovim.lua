-- Opens a header with `abigen lsp`, and writes what Neovim knows of it: problems, hover, lenses, and the text after a fix.
local server, header, out = vim.env.ABIGEN_SERVER, vim.env.ABIGEN_HEADER, vim.env.ABIGEN_OUT

local function wait(what, done)
  if not vim.wait(30000, done, 50) then
    error(what .. " did not happen")
  end
end

local function request(client, method, params)
  local answer = client.request_sync(method, params, 30000, 0)
  return answer and answer.result
end

vim.cmd("edit " .. vim.fn.fnameescape(header))
local settings = { name = "abigen", cmd = vim.split(server, " "), root_dir = vim.fn.fnamemodify(header, ":h") }
if vim.lsp.start then
  vim.lsp.start(settings)
else -- Neovim before 0.8
  vim.lsp.buf_attach_client(0, vim.lsp.start_client(settings))
end
local document = { textDocument = { uri = vim.uri_from_bufnr(0) } }
wait("a problem", function() return #vim.diagnostic.get(0) > 0 end)
local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)({ bufnr = 0 })[1]
local lenses = request(client, "textDocument/codeLens", document)
local problems = vim.diagnostic.get(0)
local first = problems[1]
local place = { line = first.lnum, character = first.col }
local hover = request(client, "textDocument/hover", vim.tbl_extend("error", document, { position = place }))
local actions = request(client, "textDocument/codeAction", vim.tbl_extend("error", document, {
  range = { start = place, ["end"] = place },
  context = { diagnostics = {} },
}))
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
wait("the fix", function()
  for _, each in ipairs(vim.diagnostic.get(0)) do
    if each.code == first.code then
      return false
    end
  end
  return true
end)
local result = {
  first = { line = first.lnum, code = first.code, message = first.message },
  hover = hover.contents.value,
  lens = lenses[1].command.title,
  action = actions[1].title,
  text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"),
}
vim.fn.writefile({ vim.json.encode(result) }, out)
vim.cmd("quitall!")
