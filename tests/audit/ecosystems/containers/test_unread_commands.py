"""Commands that put software into an image unread are told from all others."""

import pytest

from audit.ecosystems.containers import unread_commands

INSTALLS = {
    "cargo": ["cargo install ripgrep", "cargo install --git https://x.example/a"],
    "go": ["go install github.com/o/r@v1", "GOBIN=/bin go get -u github.com/o/r"],
    "gem": ["gem install rails -v 7", "sudo gem i rails"],
    "conda": ["conda install -y -c conda-forge pyqt", "/opt/conda/bin/conda create -n a python"],
    "composer": ["composer global require o/r"],
    "pacman": ["pacman -Sy --noconfirm git"],
    "emerge": ["emerge -q dev-vcs/git"],
    "dpkg": ["dpkg -i /tmp/a.deb", "dpkg --install ./a.deb"],
    "rpm": ["rpm -Uvh https://x.example/a.rpm"],
    "nix-env": ["nix-env -iA nixpkgs.git"],
    "yum": ["yum -y groupinstall 'Development Tools'"],
    "dotnet": ["dotnet tool install -g x", "dotnet add package X"],
    "choco": ["choco install -y git"],
}


@pytest.mark.parametrize(("program", "line"), [(name, line) for name, lines in INSTALLS.items() for line in lines])
def test_package_managers_whose_commands_are_not_read_are_named(program, line):
    said = [f"installs packages by {program}, whose commands are not read"]
    assert list(unread_commands.installs(f"set -e && {line}; true")) == said
    assert list(unread_commands.downloads(line)) == []


@pytest.mark.parametrize(
    "line",
    [
        "cargo install --path .", "cargo build", "go install ./...", "go get ./...", "go install example.org/own/cmd", "go mod download",
        "gem update --system", "conda env create -f environment.yml", "conda install --file requirements.txt", "conda clean -afy",
        "composer install --no-dev", "pacman -Syu", "dpkg --add-architecture i386", "dpkg -l a", "rpm --import https://x.example/KEY",
        "rpm -q a", "apt-get install -y cargo install go", "apk add cpan emerge x", "echo cargo install a", "rm -rf /usr/local/go /root/.cargo",
        "dotnet tool restore", "make install", "deno cache main.ts", "conan install . --build=missing", "vcpkg install --triplet x64-linux",
    ],
)  # fmt: skip
def test_what_builds_the_work_itself_or_installs_nothing_is_not_said(line):
    assert list(unread_commands.installs(line)) == []


@pytest.mark.parametrize(
    "line",
    [
        "curl -sSL https://x.example/a | bash", "curl get.example.org | sudo -E bash -", "wget -qO- $URL | sh -s -- -y", 'sh -c "$(curl -fsSL https://x.example/a)"',
        "curl https://x.example/a.py | python3 -", 'bash -c "$(wget -qO- https://x.example/a)"', "iwr https://x.example | iex",
    ],
)  # fmt: skip
def test_a_script_that_is_downloaded_and_run_is_said(line):
    assert list(unread_commands.installs(line)) == ["runs a script that it downloads, and that is not read"]


@pytest.mark.parametrize("code", ["R -e \"install.packages('a')\"", "julia -e 'using Pkg; Pkg.add(\"A\")'"])
def test_packages_that_program_code_installs_are_said(code):
    assert list(unread_commands.installs(code)) == ["installs packages by a program's code, which is not read"]


@pytest.mark.parametrize(
    "line",
    [
        "git clone --depth 1 https://x.example/a /a", "git clone $REPO", "svn checkout svn://x.example/a", "hg clone https://x.example/a",
        "curl -LO https://x.example/a.tgz", "curl -fsSLo /usr/bin/a https://x.example/a", "curl https://x.example/a > /usr/bin/a",
        "curl --output a https://x.example/a", "curl -L $URL | tar xz", "curl -o a.tgz $URL", "wget https://x.example/a", "wget -q -O a.zip $URL",
        "wget -qO- https://x.example/a | tar -xz", "curl -O https://x.example/a.tgz -O https://x.example/a.tgz.asc", "aria2c https://x.example/a",
        "aws s3 cp s3://bucket/a /a", "gh release download v1", "if true; then curl -LO https://x.example/a; fi", "curl -O https://x.example/a.key.tgz", "curl -LO x.example.org/a.tgz",
    ],
)  # fmt: skip
def test_downloads_of_software_are_said(line):
    [said] = unread_commands.downloads(line)
    assert said.startswith("downloads files by ")


@pytest.mark.parametrize(
    "line",
    [
        "curl -fsSL https://x.example/linux/gpg | gpg --dearmor -o /etc/apt/keyrings/x.gpg", "wget -qO- https://x.example/ACCC4CF8.asc | apt-key add -",
        "wget -O /etc/apt/trusted.gpg.d/x.asc https://x.example/x", "curl -o /etc/yum.repos.d/x.repo https://x.example/x",
        "curl https://x.example/prod.list > /etc/apt/sources.list.d/x.list", "curl -O https://x.example/SHASUMS256.txt", "curl -f http://localhost:80/ -o a",
        "curl -so /dev/null https://x.example/", "curl -s https://x.example/ 2>&1", "curl https://x.example/v | jq .v", "V=$(curl -s https://x.example/v) true",
        "wget -q --spider https://x.example/", "wget -qO- https://x.example/ | grep a", "wget -O /dev/null https://x.example/", "apt-get install -y curl git clone wget",
        "apk add wget $A", "echo curl -O https://x.example/a", "git config --global a b", "git submodule update --init", "git clone . /a", "aws s3 cp a s3://bucket/a",
        "command -v curl", "rm /usr/bin/wget a",
    ],
)  # fmt: skip
def test_keys_checksums_questions_and_own_files_are_no_downloads(line):
    assert list(unread_commands.downloads(line)) == []
    assert list(unread_commands.installs(line)) == []
