"""Markdown to HTML, as far as the pages of this project use it: headings, paragraphs, lists, tables, code,
pictures, links, emphasis, comments. Two functions are given by the caller: where a link leads, and how code
is colored."""

import html
import re

ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)(?=\S)")
FENCE = re.compile(r"^ *```(\w*)")
RULE = re.compile(r"^\|[ :|-]+\|?\s*$")
HIDDEN = "\x00%d\x00"


def slug(text, used):
    """The anchor of a heading, as GitHub makes it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    name = re.sub(r"[^\w\- ]", "", plain.lower().replace("`", "")).strip().replace(" ", "-")
    used[name] = used.get(name, -1) + 1
    return f"{name}-{used[name]}" if used[name] else name


class Page:
    """One text: `html` and its headings as (level, anchor, text)."""

    def __init__(self, text, link=lambda target: target, code=lambda text, language: html.escape(text)):
        self.link, self.code = link, code
        self.used, self.headings = {}, []
        text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
        self.html = self.blocks(text.expandtabs(4).split("\n"))

    # ---- inline ------------------------------------------------------------------------------------

    def inline(self, text):
        kept = []

        def keep(made):
            kept.append(made)
            return HIDDEN % (len(kept) - 1)

        text = re.sub(r"(`+)(.+?)\1", lambda m: keep(f"<code>{html.escape(m[2].strip() if '`' in m[2] else m[2])}</code>"),
                      text, flags=re.S)
        text = re.sub(r"<(img|br|sub|sup|/sub|/sup)\b[^>]*>", lambda m: keep(self.tag(m[0])), text)
        text = re.sub(r"\\([\\`*_{}\[\]()#+.!|<>-])", lambda m: keep(html.escape(m[1])), text)
        text = html.escape(text, quote=False)
        text = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)",
                      lambda m: keep(f'<img src="{self.link(m[2])}" alt="{html.escape(m[1])}" loading="lazy">'), text)
        text = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", lambda m: f'<a href="{self.link(m[2])}">{m[1]}</a>', text)
        text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<strong>\1</strong>", text, flags=re.S)
        text = re.sub(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])", r"<em>\1</em>", text)
        while "\x00" in text:
            text = re.sub("\x00(\\d+)\x00", lambda m: kept[int(m[1])], text)
        return text

    def tag(self, text):
        return re.sub(r'src="([^"]+)"', lambda m: f'src="{self.link(m[1])}"', text)

    # ---- blocks ------------------------------------------------------------------------------------

    def blocks(self, lines):
        out, k = [], 0
        while k < len(lines):
            line = lines[k]
            if not line.strip():
                k += 1
            elif FENCE.match(line):
                k = self.fence(lines, k, out)
            elif re.match(r"^#{1,6} ", line):
                self.heading(line, out)
                k += 1
            elif line.startswith("|") and k + 1 < len(lines) and RULE.match(lines[k + 1]):
                k = self.table(lines, k, out)
            elif ITEM.match(line):
                k = self.items(lines, k, out)
            elif line.startswith("    "):
                k = self.indented(lines, k, out)
            elif line.startswith(">"):
                end = k
                while end < len(lines) and lines[end].startswith(">"):
                    end += 1
                inside = [part[1:].removeprefix(" ") for part in lines[k:end]]
                out.append(f"<blockquote>{self.blocks(inside)}</blockquote>")
                k = end
            elif re.match(r"^(-{3,}|\*{3,})$", line):
                out.append("<hr>")
                k += 1
            else:
                k = self.paragraph(lines, k, out)
        return "\n".join(out)

    def starts_block(self, line):
        return not line.strip() or FENCE.match(line) or re.match(r"^(#{1,6} |\||>)", line) or ITEM.match(line)

    def paragraph(self, lines, k, out):
        end = k + 1
        while end < len(lines) and not self.starts_block(lines[end]):
            end += 1
        out.append(f"<p>{self.inline(chr(10).join(lines[k:end]))}</p>")
        return end

    def heading(self, line, out):
        level = len(line) - len(line.lstrip("#"))
        text = line[level:].strip().rstrip("#").strip()
        anchor = slug(text, self.used)
        made = self.inline(text)
        self.headings.append((level, anchor, re.sub(r"<[^>]+>", "", made)))
        out.append(f'<h{level} id="{anchor}">{made}<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></h{level}>')

    def block_of_code(self, text, language, out):
        out.append(f'<pre tabindex="0"><code>{self.code(text, language)}</code></pre>')

    def fence(self, lines, k, out):
        indent = len(lines[k]) - len(lines[k].lstrip())
        language = FENCE.match(lines[k])[1]
        end = k + 1
        while end < len(lines) and not re.match(r"^ *```\s*$", lines[end]):
            end += 1
        self.block_of_code("\n".join(line[indent:] for line in lines[k + 1:end]), language, out)
        return end + 1

    def indented(self, lines, k, out):
        end = k
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        self.block_of_code("\n".join(line[4:] for line in lines[k:end]).rstrip(), "", out)
        return end

    def items(self, lines, k, out):
        """A list: its items, each with what is indented below it."""
        outer = ITEM.match(lines[k])
        is_ordered = outer[2][0].isdigit()
        made, is_loose = [], False
        while k < len(lines):
            mark = ITEM.match(lines[k])
            if not mark or len(mark[1]) != len(outer[1]) or mark[2][0].isdigit() != is_ordered:
                break
            indent = len(mark[0])
            inside, k = [lines[k][indent:]], k + 1
            while k < len(lines):
                line = lines[k]
                if not line.strip():
                    rest = k
                    while rest < len(lines) and not lines[rest].strip():
                        rest += 1
                    if rest == len(lines) or not lines[rest].startswith(" " * indent):
                        break
                    is_loose = True
                    inside.append("")
                elif line.startswith(" " * indent):
                    inside.append(line[indent:])
                elif self.starts_block(line):
                    break
                else:
                    inside.append(line.strip())
                k += 1
            made.append(self.blocks(inside))
            following = k
            while following < len(lines) and not lines[following].strip():
                following += 1
            next_mark = ITEM.match(lines[following]) if following < len(lines) else None
            if next_mark and len(next_mark[1]) == len(outer[1]):
                k = following
        if not is_loose:
            made = [re.sub(r"^<p>(.*?)</p>", r"\1", item, count=1, flags=re.S) for item in made]
        name = "ol" if is_ordered else "ul"
        start = f' start="{int(re.match(r"[0-9]+", outer[2])[0])}"' if is_ordered and not outer[2].startswith("1") else ""
        out.append(f"<{name}{start}>" + "".join(f"<li>{item}</li>" for item in made) + f"</{name}>")
        return k

    def cells(self, line):
        line = line.strip().removeprefix("|")
        line = re.sub(r"`[^`]*`", lambda m: m[0].replace("|", "\x01") if "\\|" not in m[0] else m[0], line)
        parts = re.split(r"(?<!\\)\|", line)
        if not parts[-1].strip():
            parts.pop()
        return [part.strip().replace("\x01", "|").replace("\\|", "|") for part in parts]

    def table(self, lines, k, out):
        head, rules = self.cells(lines[k]), self.cells(lines[k + 1])
        style = [" class=\"num\"" if rule.endswith(":") and not rule.startswith(":") else "" for rule in rules]
        rows, k = [], k + 2
        while k < len(lines) and lines[k].startswith("|"):
            rows.append(self.cells(lines[k]))
            k += 1
        side = lambda index: style[index] if index < len(style) else ""
        row = lambda cells, tag: "<tr>" + "".join(
            f"<{tag}{side(i)}>{self.inline(cell)}</{tag}>" for i, cell in enumerate(cells)) + "</tr>"
        heads = row(head, "th") if any(head) else ""
        out.append('<div class="table" tabindex="0"><table>' + (f"<thead>{heads}</thead>" if heads else "") + "<tbody>"
                   + "".join(row(cells, "td") for cells in rows) + "</tbody></table></div>")
        return k


def colored(text, language):
    """YAML, Python, C and shell with comments, strings and keys marked."""
    marks = {
        "yaml": r"(?P<c>(?:^|(?<=\s))#[^\n]*)|(?P<s>\"[^\"\n]*\"|'[^'\n]*')|(?P<k>\b\w(?:[\w.\-{}+*/ ()]*[\w)}])?(?=:(?:\s|$)))",
        "python": r"(?P<c>#[^\n]*)|(?P<s>\"[^\"\n]*\"|'[^'\n]*')|(?P<k>\b(?:import|from|def|class|return|for|in|if|else|while|with|as|print)\b)",
        "js": r"(?P<c>//[^\n]*)|(?P<s>\"[^\"\n]*\"|`[^`]*`)|(?P<k>\b(?:import|from|const|let|return|for|of|if|else|while|await|try|catch|throw|new)\b)",
        "c": r"(?P<c>//[^\n]*|/\*.*?\*/)|(?P<s>\"[^\"\n]*\")|(?P<k>\b(?:int|double|const|void|return|for|if|else|while|struct|static|char)\b|#include)",
        "sh": r"(?P<c>(?:^|(?<=\s))#[^\n]*)",
    }
    if not language and re.search(r"(?m)^[a-z_]+:( |$)", text):
        language = "yaml"
    pattern = marks.get({"": "sh", "json": "yaml", "bash": "sh"}.get(language, language))
    if not pattern:
        return html.escape(text, quote=False)
    out, at = [], 0
    for m in re.finditer(pattern, text, re.M | re.S if language == "c" else re.M):
        kind = m.lastgroup
        out.append(html.escape(text[at:m.start()], quote=False))
        out.append(f'<span class="{kind}">{html.escape(m[0], quote=False)}</span>')
        at = m.end()
    out.append(html.escape(text[at:], quote=False))
    return "".join(out)
