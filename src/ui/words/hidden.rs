//! What hidden and deceiving characters are called.

use super::Lang;
use crate::ui::text::{Hidden, Origin, Why};

impl Lang {
    /// What a character is that is shown as its code: its code, its name, what it looks like.
    pub fn hidden(self, hidden: Hidden) -> String {
        let words = &super::Words::of(self).review;
        let code = hidden.code();
        match hidden.why {
            Why::LookAlike { origin, like: Some(like) } => {
                words.looks_like(&code, self.origin(origin), &like.to_string())
            }
            Why::LookAlike { origin, like: None } => words.code_name(&code, self.origin(origin)),
            why => words.code_name(&code, self.hidden_why(hidden.ch, why)),
        }
    }

    fn hidden_why(self, ch: char, why: Why) -> &'static str {
        self.pick(match (ch, why) {
            ('\u{200b}', _) => ["zero-width space", "零宽空格"],
            ('\u{200d}', Why::Invisible) => ["zero-width joiner", "零宽连接符"],
            ('\u{200c}', Why::Invisible) => ["zero-width non-joiner", "零宽不连字"],
            ('\u{a0}', _) => ["no-break space", "不换行空格"],
            ('\u{ad}', _) => ["soft hyphen", "软连字符"],
            ('\u{feff}', _) => ["byte order mark", "字节顺序标记"],
            (_, Why::Control) => ["control character", "控制字符"],
            (_, Why::Escape) => ["control sequence for the terminal", "终端控制序列"],
            (_, Why::LineEnd) => ["carriage return", "回车"],
            (_, Why::Separator) => ["line separator", "行分隔符"],
            (_, Why::Bidi) => ["changes the direction of text", "改变文字方向"],
            (_, Why::Invisible) => ["invisible", "不可见"],
            (_, Why::Tag) => ["invisible tag", "不可见标签"],
            (_, Why::Selector) => ["variation selector", "变体选择符"],
            (_, Why::EmojiPart) => ["part of an emoji", "表情的一部分"],
            (_, Why::Private) => ["private character", "私用字符"],
            (_, Why::Unassigned) => ["not assigned", "未分配字符"],
            (_, Why::Broken) => ["bytes that are no text", "不是文本的字节"],
            (_, Why::Mark) => ["combining mark", "组合符号"],
            (_, Why::Composed) => ["combining mark on a letter", "字母上的组合符号"],
            (_, Why::Space) => ["other kind of space", "其他空格"],
            (_, Why::Width) => ["of unsure width", "宽度不定"],
            (_, Why::LookAlike { .. }) => ["look-alike", "形近字"],
        })
    }

    fn origin(self, origin: Origin) -> &'static str {
        self.pick(match origin {
            Origin::Cyrillic => ["Cyrillic", "西里尔字母"],
            Origin::Greek => ["Greek", "希腊字母"],
            Origin::Armenian => ["Armenian", "亚美尼亚字母"],
            Origin::Cherokee => ["Cherokee", "切罗基字母"],
            Origin::Coptic => ["Coptic", "科普特字母"],
            Origin::Lisu => ["Lisu", "傈僳字母"],
            Origin::FullWidth => ["full-width", "全角"],
            Origin::Styled => ["styled letter", "花体字符"],
            Origin::Latin => ["Latin look-alike", "拉丁形近字"],
            Origin::Sign => ["other sign", "其他符号"],
        })
    }
}
