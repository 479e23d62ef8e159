//! Words by what they do in a statement: which link a thing and what is said of it, which name a thing that has one value at
//! a time, which are no value but a property, which exclude each other.

/// The words of a list.
pub(super) fn each(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

fn among(list: &'static str, word: &str) -> bool {
    each(list).any(|one| one == word)
}

/// What links a thing and what is said of it, so that something else cannot hold too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Link {
    /// It is this.
    Is,
    /// It is there.
    At,
    /// It is then.
    When,
    /// It uses this: it may use others too, unless it is of the kind that has one.
    Uses,
    /// It is in this state by that: `written in`, `owned by`, `listens on`.
    By(&'static str),
}

/// Chinese words that link, the longest first.
const HAN_LINKS: [(&str, Link); 30] = [
    ("设置为", Link::Is),
    ("默认为", Link::Is),
    ("默认是", Link::Is),
    ("一直是", Link::Is),
    ("应该是", Link::Is),
    ("存放在", Link::At),
    ("保存在", Link::At),
    ("部署在", Link::By("deployed on")),
    ("应该用", Link::Uses),
    ("设为", Link::Is),
    ("名为", Link::Is),
    ("名叫", Link::Is),
    ("等于", Link::Is),
    ("就是", Link::Is),
    ("都是", Link::Is),
    ("仍是", Link::Is),
    ("总是", Link::Is),
    ("不是", Link::Is),
    ("位于", Link::At),
    ("放在", Link::At),
    ("不在", Link::At),
    ("存于", Link::At),
    ("属于", Link::By("belong to")),
    ("使用", Link::Uses),
    ("采用", Link::Uses),
    ("是", Link::Is),
    ("为", Link::Is),
    ("叫", Link::Is),
    ("在", Link::At),
    ("用", Link::Uses),
];

/// Chinese words that hold such a character and do not link.
pub(super) const HAN_WHOLE: &str = "但是 于是 还是 只是 要是 凡是 若是 是否 是不是 是因为 因为 为了 为什么 成为 认为 \
     作为 行为 以为 改为 变为 为主 为止 为空 现在 正在 存在 在线 所在 在于 实在 潜在 \
     用户 用于 应用 作用 不用 可用 启用 禁用 调用 占用 费用 通用 引用 专用 有用 没用 \
     复用 用例 用法 用量 用途 用时 停用 信用 公用 共用 滥用 常用 备用 叫做 使用率";

/// The Chinese word that links with which a text begins.
pub(super) fn han_link(text: &str) -> Option<(&'static str, Link)> {
    HAN_LINKS.iter().find(|(word, _)| text.starts_with(word)).copied()
}

/// Words that are in every statement, and say nothing of which thing is meant.
pub(super) fn is_filler(low: &str) -> bool {
    const FILLERS: &str = "a actually all already also always an any at be been being by can code codebase configured \
         current currently did do does for from had has have here i in into is it its just may must \
         my name now of on our please project project's repo repository set shall should still that \
         the their there these this those to today used value we will with workspace would you your";
    among(FILLERS, low)
}

/// Words for the project itself, which most statements are about without saying so.
pub(super) fn is_project(low: &str) -> bool {
    ["code", "codebase", "project", "repo", "repository", "workspace"].contains(&low)
        || ["项目", "仓库", "工程"].iter().any(|word| low.contains(word))
}

/// Chinese words that say nothing of which thing is meant.
pub(super) const HAN_FILLERS: &str = "这个 那个 我们 项目 仓库 工程 目前 现在 当前 已经 仍然 一直 默认值 名称 名字 本 \
     该 的 了 请 也 都";

/// Verbs before which the thing stands that they say something of.
pub(super) fn is_verb(low: &str) -> bool {
    const VERBS: &str = "accepts allow allows answer answers builds caches calls can contains cost costs creates \
         depends do does ends exits expects expire expires fails get gets go goes had has have holds \
         includes keep keeps last lasts listens loads made make makes may must need needs opens pings \
         polls prefer prefers prints produces reads renews require requires retries return returns \
         rotates run runs sends serves should shows sleeps starts stops stores support supports take \
         takes took tries use used uses wait waits wants weighs will works write writes yields happen happens";
    among(VERBS, low)
}

/// Verbs that say no more than that a number belongs to a thing.
pub(super) fn is_light(low: &str) -> bool {
    const LIGHT: &str =
        "cost costs have last lasts need needs require requires run runs take takes took use uses";
    among(LIGHT, low)
}

/// Nouns before a number that names one of many.
pub(super) fn is_label(low: &str) -> bool {
    const LABELS: &str = "attempt batch building case chapter column commit day exercise figure group host issue item \
         job line machine milestone node page part partition phase pr question replica room round row \
         rule run section server service shard sheet slot sprint stage step table task test ticket \
         worker";
    among(LABELS, low)
}

/// Nouns of which a thing has one at a time, by their stems.
pub(super) fn is_single(stem: &str) -> bool {
    const SINGLE: &str = "account address algorithm alloc author backend bind board branch broker browser bucket \
         build-tool bundler capit channel charset client cluster codenam color colour command compil \
         contact currenc databas date day db deadlin default delimit destin dialect directori dir \
         domain driver edit editor email encod endpoint engin entri entrypoint env environ extens \
         file folder font format formatt framework gateway hash header host hostnam indent \
         indentation interpret key languag lead leader level licenc licens linter locat logger \
         maintain manag mode model name namespac os output owner packag password path place platform \
         port prefix primari profil protocol provid queue region registri releas remot renderer \
         review root runner runtim scheme separ server shell sourc standard strategi style suffix \
         target theme timezon titl tokenizer tool toolchain unit upstream url user usernam version \
         zone type limit storag store codec layout convent polici";
    among(SINGLE, stem)
}

/// The same in Chinese.
pub(super) const HAN_SINGLE: &str = "端口 分支 版本 名称 名字 路径 目录 文件夹 地址 主机 域名 数据库 编辑器 语言 框架 \
     许可证 负责人 维护者 作者 格式 编码 时区 命令 工具 编译器 环境 区域 引擎 模型 前缀 \
     后缀 分隔符 缩进 风格 主题 颜色 模式 级别 策略 算法 协议 入口 主键 单位 货币 默认 \
     首都 截止日期 日期 时间 用户名 账号 邮箱 渠道 类型 包管理器 平台 位置 队列 服务器 \
     运行器 字体 协议栈 密钥库";

/// Nouns that say nothing by themselves of which thing is meant, by their stems; of Chinese by single characters.
pub(super) fn is_vague(stem: &str) -> bool {
    const VAGUE: &str = "advic altern answer bug caus choic culprit error exampl fact failur find first fix goal hint \
         idea import issu lesson next note one option other plan point problem question reason remedi \
         result risk rule second solut step summari task thing third tip todo trick way work";
    among(VAGUE, stem) || stem.chars().all(|c| "原因问题办法结果注意教训".contains(c))
}

/// Words with which a condition begins.
pub(super) fn opens_condition(low: &str) -> bool {
    ["when", "if", "while", "unless", "once", "whenever", "after", "before"].contains(&low)
}

/// Words with which a subject is one of several, or none that can be compared.
pub(super) fn is_open(low: &str) -> bool {
    const OPEN: &str = "a an another any each either every few he here how it many most one some several she that \
         there they this these those we what where which who why you i neither both";
    among(OPEN, low)
}

/// Words behind a value that begin where or when it holds.
pub(super) fn opens_scope(low: &str) -> bool {
    const SCOPES: &str = "after at before during except for if in inside on once only over per through under unless \
         via when whenever where while with within without";
    among(SCOPES, low)
}

/// Those of them that turn round what follows, or set it before or behind.
pub(super) const TURNING: [&str; 5] = ["after", "before", "except", "unless", "without"];

/// Words behind a value that begin an explanation.
pub(super) fn opens_aside(low: &str) -> bool {
    const ASIDES: &str = "although as because but by from instead not now rather since so starting than that thanks \
         though to until which whose";
    among(ASIDES, low)
}

/// Words that make what follows a property or a sentence of its own, and no value.
pub(super) fn opens_property(low: &str) -> bool {
    const STARTS: &str = "about and down enough exactly gone here how it less like likely more most much nearly off on \
         one out part quite so that there these they this those too up very we what when where \
         whether who why you as because if among";
    among(STARTS, low)
}

/// Words in a value that tell no more than how long or how surely it is so.
pub(super) fn is_adverb(low: &str) -> bool {
    const ADVERBS: &str = "actually again already also always anyway by currently finally just mostly now officially \
         only permanently probably really simply still temporarily today usually normally default";
    among(ADVERBS, low)
}

/// Words of lower case that describe and do not name.
pub(super) fn is_property(low: &str) -> bool {
    const WORDS: &str = "absent alive alone ambiguous asleep atomic available aware bad behind better big binary \
         blank bound brittle broken busy case-sensitive cheap clean clear closed cold common \
         compatible complete complex correct critical dead deep different dirty done down dry dynamic \
         early easy empty enough equal expensive external false fast faster few final fine finite \
         flaky flat fragile free fresh full generic global good gone green hard heavy hidden high hot \
         huge idle ignored important incremental internal invalid known large late lazy legacy light \
         local long loud low mandatory manual minimal missing necessary new noisy obsolete off \
         official old open optional parallel private public quiet ready right safe same short simple \
         slow slower small stale static strict strong true unknown up warm weak wrong thin";
    const ENDS: &str = "able ible ful less ous ly ward wide";
    const NOUNS: &str = "feed seed red speed embed staging testing bing ping spring string embedded";
    if among(NOUNS, low) {
        return false;
    }
    among(WORDS, low)
        || low.len() > 4
            && (low.ends_with("ed") || low.ends_with("ing") || each(ENDS).any(|end| low.ends_with(end)))
        || among("written taken given shown built kept made run set sent split held left", low)
}

/// What is so by something else: the word, the words that may follow, and how it links.
pub(super) const STATES: [(&str, &[&str], Link); 38] = [
    ("named", &[], Link::Is),
    ("called", &[], Link::Is),
    ("set", &["to"], Link::Is),
    ("configured", &["to", "as"], Link::Is),
    ("fixed", &["at", "to"], Link::Is),
    ("pinned", &["to", "at"], Link::Is),
    ("limited", &["to"], Link::Is),
    ("capped", &["at"], Link::Is),
    ("located", &["in", "at", "under", "on", "inside"], Link::At),
    ("stored", &["in", "at", "under", "on", "inside"], Link::At),
    ("kept", &["in", "at", "under", "on", "inside"], Link::At),
    ("saved", &["in", "at", "under", "on", "to", "inside"], Link::At),
    ("found", &["in", "at", "under", "on"], Link::At),
    ("placed", &["in", "at", "under", "on"], Link::At),
    ("installed", &["in", "at", "under"], Link::At),
    ("mounted", &["in", "at", "under", "on"], Link::At),
    ("hosted", &["in", "at", "on", "by"], Link::By("deployed on")),
    ("deployed", &["in", "at", "on", "to"], Link::By("deployed on")),
    ("written", &["to"], Link::At),
    ("written", &["in"], Link::By("written in")),
    ("implemented", &["in"], Link::By("written in")),
    ("owned", &["by"], Link::By("owned by")),
    ("led", &["by"], Link::By("led by")),
    ("licensed", &["under"], Link::By("licensed under")),
    ("released", &["under"], Link::By("licensed under")),
    ("encoded", &["in", "as"], Link::By("encoded in")),
    ("compressed", &["with"], Link::By("compressed with")),
    ("sorted", &["by"], Link::By("sorted by")),
    ("signed", &["with"], Link::By("signed with")),
    ("scheduled", &["on", "at", "for"], Link::When),
    ("due", &["on", "at", "by"], Link::When),
    ("in", &[], Link::At),
    ("at", &[], Link::At),
    ("under", &[], Link::At),
    ("inside", &[], Link::At),
    ("on", &[], Link::At),
    ("owned", &[], Link::By("owned by")),
    ("due", &[], Link::When),
];

/// Verbs that link by themselves, with what has to follow.
pub(super) const VERB_LINKS: [(&str, &[&str], Link); 20] = [
    ("equals", &[], Link::Is),
    ("defaults", &["to"], Link::Is),
    ("resolves", &["to"], Link::Is),
    ("points", &["to", "at"], Link::Is),
    ("lives", &["in", "at", "under", "on", "inside"], Link::At),
    ("live", &["in", "at", "under", "on", "inside"], Link::At),
    ("sits", &["in", "at", "under", "on"], Link::At),
    ("resides", &["in", "at", "under", "on"], Link::At),
    ("stands", &["in", "at", "under"], Link::At),
    ("lies", &["in", "at", "under"], Link::At),
    ("belongs", &["to"], Link::By("belong to")),
    ("listens", &["on", "at"], Link::By("listen on")),
    ("expires", &["on", "in", "after"], Link::By("expires")),
    ("stays", &[], Link::Is),
    ("remains", &[], Link::Is),
    ("became", &[], Link::Is),
    ("becomes", &[], Link::Is),
    ("uses", &[], Link::Uses),
    ("use", &[], Link::Uses),
    ("runs", &["at"], Link::When),
];

/// Words of which one at most holds, by their stems.
const GROUPS: [&[&str]; 33] = [
    &["enabl", "disabl"],
    &["on", "off"],
    &["requir", "option"],
    &["mandatori", "option"],
    &["true", "false"],
    &["yes", "no"],
    &["public", "privat"],
    &["open", "close"],
    &["allow", "forbidden"],
    &["allow", "deni"],
    &["permit", "forbidden"],
    &["parallel", "sequenti", "serial"],
    &["synchron", "asynchron"],
    &["sync", "async"],
    &["ascend", "descend"],
    &["tab", "space"],
    &["stdout", "stderr"],
    &["green", "red"],
    &["pass", "fail"],
    &["hour", "daili", "day", "week", "month", "night", "year"],
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    &["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"],
    &["camelcas", "snake_case", "kebab-case", "pascalcas", "camelcase", "pascalcase"],
    &["big-endian", "little-endian"],
    &["lf", "crlf"],
    &["squash", "rebas"],
    &["dark", "light"],
    &["english", "chines", "german", "french", "japanes", "spanish", "korean"],
    &["warm", "cold"],
    &["static", "dynam"],
    &["case-sensitive", "case-insensitive"],
    &["mutabl", "immut"],
    &["stateless", "state"],
];

/// The same in Chinese, as words of texts that are alike but for them.
pub(super) const HAN_GROUPS: [&[&str]; 22] = [
    &["开启", "关闭"],
    &["打开", "关闭"],
    &["启用", "禁用", "停用"],
    &["允许", "禁止"],
    &["必填", "选填", "可选"],
    &["必须", "不必"],
    &["同步", "异步"],
    &["升序", "降序"],
    &["公开", "私有"],
    &["串行", "并行"],
    &["单线程", "多线程"],
    &["每天", "每周", "每月", "每小时", "每年"],
    &["周一", "周二", "周三", "周四", "周五", "周六", "周日"],
    &["星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"],
    &["中文", "英文", "日文", "德文", "法文"],
    &["深色", "浅色"],
    &["静态", "动态"],
    &["上午", "下午", "晚上"],
    &["大写", "小写"],
    &["制表符", "空格"],
    &["热", "冷"],
    &["通过", "失败"],
];

/// Whether two words exclude each other.
pub(super) fn exclude(a: &str, b: &str) -> bool {
    let holds = |group: &&[&str], word: &str| group.contains(&word);
    GROUPS.iter().any(|group| holds(group, a) && holds(group, b))
}
